/*
 * The Node-API interface of map.h: open(path), size(map), copy(map, offset, target, start, length), advise(map, offset, length, hint),
 * close(map). Arguments and results are typed in map.ts.
 *
 * Nothing here is per process: a map is an external that owns its memory, so any number of worker threads may load the addon. A
 * wrong argument, a closed map or a map that cannot be opened throws an Error with a code. A file that fails during a copy
 * is an ordinary result.
 */
#include <node_api.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <malloc.h>
#endif

#include "map.h"

/* Distinguishes the externals of this addon from those of others. */
static const napi_type_tag map_tag = {0x7472616365626e63ULL, 0x6d61702d66696c65ULL};

static napi_value wrong(napi_env env, const char *code, const char *message) {
  napi_throw_error(env, code, message);
  return NULL;
}

/* Fills arguments[0..count) and gives the open map in arguments[0]; NULL when it threw. */
static file_map *open_map(napi_env env, napi_callback_info info, size_t count, napi_value *arguments) {
  size_t given = count;
  bool ours = false;
  void *data = NULL;
  if (napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok || given < count ||
      napi_check_object_type_tag(env, arguments[0], &map_tag, &ours) != napi_ok || !ours ||
      napi_get_value_external(env, arguments[0], &data) != napi_ok) {
    wrong(env, "ARGUMENT", "expected an open map");
    return NULL;
  }
  file_map *map = data;
  if (map->file == -1) {
    wrong(env, "CLOSED", "the map is closed");
    return NULL;
  }
  return map;
}

/* A whole number from 0 to 2^53: exact as a double. */
static bool whole(napi_env env, napi_value value, uint64_t *result) {
  double number;
  if (napi_get_value_double(env, value, &number) != napi_ok) return false;
  if (!(number >= 0 && number <= 9007199254740992.0)) return false;
  *result = (uint64_t)number;
  return (double)*result == number;
}

static bool inside(const file_map *map, uint64_t offset, uint64_t length) {
  return offset <= map->size && length <= map->size - offset;
}

static void finalize(node_api_basic_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  map_close(data);
  free(data);
}

static napi_value open_file(napi_env env, napi_callback_info info) {
  size_t count = 1, length = 0;
  napi_value path, result;
  if (napi_get_cb_info(env, info, &count, &path, NULL, NULL) != napi_ok || count < 1 ||
      napi_get_value_string_utf8(env, path, NULL, 0, &length) != napi_ok) {
    return wrong(env, "ARGUMENT", "expected a path");
  }
  char *name = malloc(length + 1);
  file_map *map = malloc(sizeof *map);
  const char *error = "out of memory";
  if (name != NULL && map != NULL && napi_get_value_string_utf8(env, path, name, length + 1, &length) == napi_ok) {
    error = strlen(name) == length ? map_open(map, name) : "the path holds a NUL";
  }
  free(name);
  if (error != NULL) {
    free(map);
    return wrong(env, "OPEN", error);
  }
  if (napi_create_external(env, map, finalize, NULL, &result) != napi_ok) {
    finalize(env, map, NULL);
    return wrong(env, "OPEN", "out of memory");
  }
  if (napi_type_tag_object(env, result, &map_tag) != napi_ok) return wrong(env, "OPEN", "out of memory");
  return result;
}

static napi_value size(napi_env env, napi_callback_info info) {
  napi_value arguments[1], result = NULL;
  file_map *map = open_map(env, info, 1, arguments);
  if (map != NULL) napi_create_double(env, (double)map->size, &result);
  return result;
}

static napi_value copy(napi_env env, napi_callback_info info) {
  napi_value arguments[5], result = NULL;
  file_map *map = open_map(env, info, 5, arguments);
  if (map == NULL) return NULL;
  uint64_t offset, start, length;
  napi_typedarray_type type;
  size_t room;
  void *target;
  if (!whole(env, arguments[1], &offset) || !whole(env, arguments[3], &start) || !whole(env, arguments[4], &length) ||
      napi_get_typedarray_info(env, arguments[2], &type, &room, &target, NULL, NULL) != napi_ok ||
      type != napi_uint8_array) {
    return wrong(env, "ARGUMENT", "expected a map, an offset, a Uint8Array, a start and a length");
  }
  if (!inside(map, offset, length)) return wrong(env, "ARGUMENT", "the range is outside the map");
  if (start > room || length > room - start) return wrong(env, "ARGUMENT", "the target is too small");
  map_outcome outcome = length == 0 ? MAP_COPIED : map_copy(map, offset, (uint8_t *)target + start, (size_t)length);
  double value = outcome == MAP_COPIED ? (double)length : outcome == MAP_SHRUNK ? -1 : -2;
  napi_create_double(env, value, &result);
  return result;
}

static napi_value advise(napi_env env, napi_callback_info info) {
  napi_value arguments[4];
  file_map *map = open_map(env, info, 4, arguments);
  if (map == NULL) return NULL;
  uint64_t offset, length, hint;
  if (!whole(env, arguments[1], &offset) || !whole(env, arguments[2], &length) || !whole(env, arguments[3], &hint) ||
      !inside(map, offset, length) || hint >= HINT_COUNT) {
    return wrong(env, "ARGUMENT", "expected a map, a range inside it and a hint");
  }
  if (length > 0) map_advise(map, offset, length, (map_hint)hint);
  return NULL;
}

static napi_value close_map(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  file_map *map = open_map(env, info, 1, arguments);
  if (map != NULL) map_close(map);
  return NULL;
}

/*
 * The C library of Linux keeps what threads free in an arena per thread, up to eight per processor. Two arenas are as fast for the few
 * threads of this program and save some 50 MB. An arena that exists already stays.
 */
static void share_arenas(void) {
#ifdef M_ARENA_MAX
  if (getenv("MALLOC_ARENA_MAX") == NULL) mallopt(M_ARENA_MAX, 2);
#endif
}

NAPI_MODULE_INIT() {
  share_arenas();
  const napi_property_descriptor face[] = {
      {"open", NULL, open_file, NULL, NULL, NULL, napi_enumerable, NULL},
      {"size", NULL, size, NULL, NULL, NULL, napi_enumerable, NULL},
      {"copy", NULL, copy, NULL, NULL, NULL, napi_enumerable, NULL},
      {"advise", NULL, advise, NULL, NULL, NULL, napi_enumerable, NULL},
      {"close", NULL, close_map, NULL, NULL, NULL, napi_enumerable, NULL},
  };
  if (napi_define_properties(env, exports, sizeof face / sizeof face[0], face) != napi_ok) return NULL;
  return exports;
}
