/*
 * Maps files on Windows, and turns the in-page error that a vanished page raises into a return value
 * by structured exceptions. Windows itself refuses to cut a file short while it is mapped; drives and
 * network shares still go away.
 */
#include "map.h"

#define WIN32_LEAN_AND_MEAN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* One text per thread, because the message is read before the next call on that thread. */
static __declspec(thread) char message[64];

static const char *last_error(const char *step) {
  DWORD code = GetLastError();
  snprintf(message, sizeof message, "%s failed with Windows error %lu", step, code);
  return message;
}

static HANDLE open_file(const char *path) {
  int units = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
  WCHAR *wide = units > 0 ? malloc((size_t)units * sizeof(WCHAR)) : NULL;
  if (wide == NULL) return INVALID_HANDLE_VALUE;
  MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, units);
  HANDLE file = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                            OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
  DWORD code = GetLastError();
  free(wide);
  SetLastError(code);
  return file;
}

const char *map_open(file_map *map, const char *path) {
  memset(map, 0, sizeof *map);
  map->file = -1;
  HANDLE file = open_file(path);
  if (file == INVALID_HANDLE_VALUE) return last_error("CreateFile");
  map->file = (intptr_t)file;
  LARGE_INTEGER size;
  const char *error = NULL;
  if (GetFileType(file) != FILE_TYPE_DISK) error = "not a regular file";
  else if (!GetFileSizeEx(file, &size)) error = last_error("GetFileSizeEx");
  else if ((uint64_t)size.QuadPart > SIZE_MAX) error = "larger than the address space";
  else map->size = (uint64_t)size.QuadPart;
  if (error == NULL && map->size > 0) {
    HANDLE mapping = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
    map->mapping = (intptr_t)mapping;
    if (mapping == NULL) error = last_error("CreateFileMapping");
    else map->base = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, (SIZE_T)map->size);
    if (error == NULL && map->base == NULL) error = last_error("MapViewOfFile");
  }
  if (error != NULL) map_close(map);
  return error;
}

map_outcome map_copy(const file_map *map, uint64_t offset, uint8_t *target, size_t length) {
  int faulted = 0;
  __try {
    memcpy(target, map->base + offset, length);
  } __except (GetExceptionCode() == EXCEPTION_IN_PAGE_ERROR || GetExceptionCode() == EXCEPTION_ACCESS_VIOLATION
                  ? EXCEPTION_EXECUTE_HANDLER
                  : EXCEPTION_CONTINUE_SEARCH) {
    faulted = 1;
  }
  LARGE_INTEGER size;
  if (!GetFileSizeEx((HANDLE)map->file, &size)) return MAP_FAULT;
  if ((uint64_t)size.QuadPart < offset + length) return MAP_SHRUNK;
  return faulted ? MAP_FAULT : MAP_COPIED;
}

void map_advise(const file_map *map, uint64_t offset, uint64_t length, map_hint hint) {
  void *start = (void *)(map->base + offset);
  if (hint == HINT_WILLNEED) {
    WIN32_MEMORY_RANGE_ENTRY range = {start, (SIZE_T)length};
    (void)PrefetchVirtualMemory(GetCurrentProcess(), 1, &range, 0);
  } else if (hint == HINT_DONTNEED) {
    (void)VirtualUnlock(start, (SIZE_T)length); /* on pages that are not locked: takes them off the working set */
  }
}

void map_close(file_map *map) {
  if (map->base != NULL) UnmapViewOfFile(map->base);
  if (map->mapping != 0) CloseHandle((HANDLE)map->mapping);
  if (map->file != -1) CloseHandle((HANDLE)map->file);
  map->base = NULL;
  map->mapping = 0;
  map->file = -1;
}
