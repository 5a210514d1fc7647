/*
 * Zstandard as the program that hosts the addon has it. Node links it in and exports it, but its own face makes a stream and a
 * context for each call, which takes a third of the time that packing a row of an index does. A host may not export it.
 */
#ifndef TRACEBENCH_ZSTD_H
#define TRACEBENCH_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

/* One for each thread, used again and again. */
typedef struct zstd_codec zstd_codec;

#define ZSTD_FAILED ((size_t)-1)

/* NULL if the host has none, or memory ran out. */
zstd_codec *zstd_open(void);
void zstd_close(zstd_codec *codec);

/* Bytes written, or ZSTD_FAILED: they do not fit. */
size_t zstd_pack(zstd_codec *codec, void *target, size_t room, const void *bytes, size_t length, int level);
/* Bytes written, or ZSTD_FAILED: this is no frame, or its content does not fit. */
size_t zstd_unpack(zstd_codec *codec, void *target, size_t room, const void *bytes, size_t length);

#endif
