/* A fault on purpose: nobody sets the offset of the filter, so that its output has what `checksum` left on the stack. */
#include "support.h"

struct filter {
  s32 gain;
  s32 offset;
  s32 last;
};

static const s32 samples[] = {4, 9, 2};
static s32 outputs[3];

NOINLINE static u32 checksum(u32 seed) {
  volatile u32 table[6];
  u32 sum = 0, i;
  for (i = 0; i < 6; i++) table[i] = seed = seed * 5 + 1;
  for (i = 0; i < 6; i++) sum += table[i];
  return sum;
}

NOINLINE static void prepare(struct filter *filter) {
  filter->gain = 3;
  filter->last = 0;
}

NOINLINE static s32 apply(struct filter *filter, s32 sample) {
  filter->last = sample * filter->gain + filter->offset;
  return filter->last;
}

NOINLINE static void run(void) {
  struct filter filter;
  u32 i;
  prepare(&filter);
  for (i = 0; i < 3; i++) outputs[i] = apply(&filter, samples[i]);
}

u32 program(void) {
  u32 sum = checksum(7);
  run();
  return sum + (u32)outputs[2];
}
