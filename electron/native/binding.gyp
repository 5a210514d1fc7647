{
  "targets": [
    {
      "target_name": "tracebench_map",
      "sources": ["addon.c"],
      "defines": ["NAPI_VERSION=9"],
      "conditions": [
        ["OS=='win'", {
          "sources": ["map_windows.c"]
        }, {
          "sources": ["map_posix.c"],
          "cflags": ["-O2", "-Wall", "-Wextra"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O2", "-Wall", "-Wextra"] }
        }],
        ["OS=='linux'", { "libraries": ["-ldl", "-pthread"] }]
      ]
    }
  ]
}
