/* A fault on purpose: `set_name` does not stop at the end of the name, so that a long name changes the limit after it. */
#include "support.h"

struct channel {
  char name[8];
  u32 limit;
};

static struct channel channels[2];
static u32 alarms;

NOINLINE static void set_limit(struct channel *channel, u32 limit) { channel->limit = limit; }

NOINLINE static void set_name(struct channel *channel, const char *name) {
  char *to = channel->name;
  while ((*to = *name) != 0) {
    to++;
    name++;
  }
}

NOINLINE static void measure(const struct channel *channel, u32 value) {
  if (value > channel->limit) alarms++;
}

u32 program(void) {
  u32 i;
  for (i = 0; i < 2; i++) set_limit(&channels[i], 50);
  set_name(&channels[0], "oil");
  set_name(&channels[1], "pressure!");
  for (i = 0; i < 2; i++) measure(&channels[i], 40);
  return alarms;
}
