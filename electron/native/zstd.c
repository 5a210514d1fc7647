/* The host's functions are found by name: those of zstd.h's "simple" and "explicit context" API, which is stable since 1.0. */
#include "zstd.h"

#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
typedef FARPROC symbol;
static symbol find(const char *name) { return GetProcAddress(GetModuleHandleA(NULL), name); }
#else
#include <dlfcn.h>
typedef void *symbol;
static symbol find(const char *name) { return dlsym(RTLD_DEFAULT, name); }
#endif

struct zstd_codec {
  void *(*create_compressor)(void);
  void *(*create_decompressor)(void);
  size_t (*free_compressor)(void *context);
  size_t (*free_decompressor)(void *context);
  size_t (*compress)(void *context, void *to, size_t room, const void *from, size_t length, int level);
  size_t (*decompress)(void *context, void *to, size_t room, const void *from, size_t length);
  unsigned (*is_error)(size_t code);
  void *compressor, *decompressor;
};

/* ISO C does not convert what dlsym gives to a function; POSIX has it as bytes that mean one. */
static bool find_function(void *function, const char *name) {
  symbol found = find(name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

zstd_codec *zstd_open(void) {
  zstd_codec *codec = calloc(1, sizeof *codec);
  if (codec == NULL) return NULL;
  if (!find_function(&codec->create_compressor, "ZSTD_createCCtx") ||
      !find_function(&codec->create_decompressor, "ZSTD_createDCtx") ||
      !find_function(&codec->free_compressor, "ZSTD_freeCCtx") ||
      !find_function(&codec->free_decompressor, "ZSTD_freeDCtx") ||
      !find_function(&codec->compress, "ZSTD_compressCCtx") ||
      !find_function(&codec->decompress, "ZSTD_decompressDCtx") ||
      !find_function(&codec->is_error, "ZSTD_isError")) {
    free(codec);
    return NULL;
  }
  codec->compressor = codec->create_compressor();
  codec->decompressor = codec->create_decompressor();
  if (codec->compressor != NULL && codec->decompressor != NULL) return codec;
  zstd_close(codec);
  return NULL;
}

void zstd_close(zstd_codec *codec) {
  /* Both take NULL. */
  codec->free_compressor(codec->compressor);
  codec->free_decompressor(codec->decompressor);
  free(codec);
}

size_t zstd_pack(zstd_codec *codec, void *target, size_t room, const void *bytes, size_t length, int level) {
  size_t written = codec->compress(codec->compressor, target, room, bytes, length, level);
  return codec->is_error(written) ? ZSTD_FAILED : written;
}

size_t zstd_unpack(zstd_codec *codec, void *target, size_t room, const void *bytes, size_t length) {
  size_t written = codec->decompress(codec->decompressor, target, room, bytes, length);
  return codec->is_error(written) ? ZSTD_FAILED : written;
}
