/*
 * Maps files on Linux and macOS, and turns the SIGBUS or SIGSEGV that a vanished page raises into a
 * return value.
 *
 * The handler is process-wide and therefore the only static state. It acts only on a fault that the
 * kernel raised, on the thread that is inside map_copy, at an address inside the map being copied.
 * Every other signal goes to the handler that was there before (V8 keeps one for WebAssembly traps)
 * or to the default action, so a real crash still kills the program with the same signal.
 */
#define _GNU_SOURCE
#include "map.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* On the stack of map_copy while it copies; the handler finds it through guard_key. */
typedef struct {
  sigjmp_buf escape;
  const uint8_t *begin, *end;
} copy_guard;

static pthread_once_t install_once = PTHREAD_ONCE_INIT;
static const char *install_error = NULL;
/* A key and not a __thread variable: reading a key never allocates, so the handler may do it. */
static pthread_key_t guard_key;
static struct sigaction earlier_bus, earlier_segv;

static void pass_on(int number, siginfo_t *info, void *context) {
  const struct sigaction *earlier = number == SIGBUS ? &earlier_bus : &earlier_segv;
  if (earlier->sa_flags & SA_SIGINFO) {
    earlier->sa_sigaction(number, info, context);
    return;
  }
  int sent = info->si_code <= 0; /* by kill() and its like: nothing faults again on return */
  if (earlier->sa_handler == SIG_IGN && sent) return;
  if (earlier->sa_handler != SIG_IGN && earlier->sa_handler != SIG_DFL) {
    earlier->sa_handler(number);
    return;
  }
  struct sigaction fatal;
  memset(&fatal, 0, sizeof fatal);
  fatal.sa_handler = SIG_DFL;
  sigaction(number, &fatal, NULL);
  if (sent) raise(number); /* blocked while we are in here, taken on return */
}

static void on_fault(int number, siginfo_t *info, void *context) {
  copy_guard *guard = pthread_getspecific(guard_key);
  const uint8_t *address = info->si_addr;
  if (guard != NULL && info->si_code > 0 && address >= guard->begin && address < guard->end) {
    siglongjmp(guard->escape, 1);
  }
  pass_on(number, info, context);
}

static void install(void) {
  /* The handler must outlive a worker thread that closes the library on its way out. */
  Dl_info self;
  if (dladdr((void *)&install_once, &self) == 0 || dlopen(self.dli_fname, RTLD_LAZY | RTLD_NODELETE) == NULL) {
    install_error = "the addon could not be kept loaded";
    return;
  }
  if (pthread_key_create(&guard_key, NULL) != 0) {
    install_error = "no thread key is left";
    return;
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGBUS, &action, &earlier_bus) != 0 || sigaction(SIGSEGV, &action, &earlier_segv) != 0) {
    install_error = "the fault handler could not be installed";
  }
}

const char *map_open(file_map *map, const char *path) {
  memset(map, 0, sizeof *map);
  map->file = -1;
  pthread_once(&install_once, install);
  if (install_error != NULL) return install_error;
  int file;
  do {
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* O_NONBLOCK: a FIFO must not stop us here */
  } while (file < 0 && errno == EINTR);
  if (file < 0) return strerror(errno);
  map->file = file;
  struct stat status;
  const char *error = NULL;
  if (fstat(file, &status) != 0) error = strerror(errno);
  else if (!S_ISREG(status.st_mode)) error = "not a regular file";
  else if ((uint64_t)status.st_size > SIZE_MAX) error = "larger than the address space";
  else map->size = (uint64_t)status.st_size;
  if (error == NULL && map->size > 0) {
    void *base = mmap(NULL, (size_t)map->size, PROT_READ, MAP_SHARED, file, 0);
    if (base == MAP_FAILED) error = strerror(errno);
    else map->base = base;
  }
  if (error != NULL) map_close(map);
  return error;
}

map_outcome map_copy(const file_map *map, uint64_t offset, uint8_t *target, size_t length) {
  copy_guard guard;
  volatile int faulted = 0;
  guard.begin = map->base;
  guard.end = map->base + map->size;
  if (sigsetjmp(guard.escape, 1) == 0) {
    pthread_setspecific(guard_key, &guard);
    memcpy(target, map->base + offset, length);
  } else {
    faulted = 1;
  }
  pthread_setspecific(guard_key, NULL);
  /* Asked after the copy: the rest of a cut file's last page reads as zeros without any fault. */
  struct stat status;
  if (fstat((int)map->file, &status) != 0) return MAP_FAULT;
  if ((uint64_t)status.st_size < offset + length) return MAP_SHRUNK;
  return faulted ? MAP_FAULT : MAP_COPIED;
}

void map_advise(const file_map *map, uint64_t offset, uint64_t length, map_hint hint) {
  static const int advice[HINT_COUNT] = {MADV_SEQUENTIAL, MADV_RANDOM, MADV_WILLNEED, MADV_DONTNEED};
  uint64_t slack = offset % (uint64_t)sysconf(_SC_PAGESIZE);
  (void)madvise((void *)(map->base + (offset - slack)), (size_t)(length + slack), advice[hint]);
}

void map_close(file_map *map) {
  if (map->base != NULL) munmap((void *)map->base, (size_t)map->size);
  if (map->file >= 0) close((int)map->file);
  map->base = NULL;
  map->file = -1;
}
