/*
 * One file mapped read-only into this process: what addon.c may ask of the operating system.
 *
 * Contract: bytes leave the map only through map_copy, which survives a file that is cut short or
 * pulled away meanwhile. A map belongs to the thread that opened it; nothing here locks.
 */
#ifndef TRACEBENCH_MAP_H
#define TRACEBENCH_MAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *base; /* NULL when closed or when the file was empty */
  uint64_t size;       /* bytes when opened, all of them mapped */
  intptr_t file;       /* descriptor or HANDLE, open as long as the map; -1 when closed */
  intptr_t mapping;    /* Windows only: HANDLE of the file mapping object */
} file_map;

typedef enum {
  MAP_COPIED, /* all the bytes are in the target and were in the file after the copy */
  MAP_SHRUNK, /* the file no longer holds all of them; the target's content means nothing */
  MAP_FAULT   /* the file holds them but its device did not give them */
} map_outcome;

typedef enum { HINT_SEQUENTIAL, HINT_RANDOM, HINT_WILLNEED, HINT_DONTNEED, HINT_COUNT } map_hint;

/* Opens and maps a regular file. Returns NULL, or what went wrong as a static or per-thread text;
 * then nothing stays open. path is UTF-8. */
const char *map_open(file_map *map, const char *path);

/* Copies [offset, offset + length) to target. Requires offset + length <= map->size. */
map_outcome map_copy(const file_map *map, uint64_t offset, uint8_t *target, size_t length);

/* Advises the system how the range will be used; a refused hint changes nothing. Same bounds as map_copy. */
void map_advise(const file_map *map, uint64_t offset, uint64_t length, map_hint hint);

/* Gives everything back. Closing twice does nothing. */
void map_close(file_map *map);

#endif
