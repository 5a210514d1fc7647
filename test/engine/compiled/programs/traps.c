/* Software interrupts, faults and much work for interrupts to come into. */
#include "support.h"

static u8 data[64];

NOINLINE static u32 checked(const u8 *from, u32 count) {
  u32 sum = 0xffff, bit;
  while (count-- > 0) {
    sum ^= *from++;
    for (bit = 0; bit < 8; bit++) sum = sum & 1 ? sum >> 1 ^ 0xa001 : sum >> 1;
  }
  return sum;
}

NOINLINE static void ask(void) { SOFTWARE_INTERRUPT(); }
NOINLINE static void stumble(void) { FAULT(); }

NOINLINE static u32 climb(u32 n) {
  if (n == 0) {
    ask();
    return 1;
  }
  if (n == 3) stumble();
  return climb(n - 1) + n;
}

NOINLINE static void work(u32 round) {
  u32 i;
  for (i = 0; i < sizeof data; i++) data[i] = (u8)(data[i] * 3 + round + i / 5);
  SOFTWARE_INTERRUPT();
}

u32 program(void) {
  u32 sum = 5, round;
  for (round = 0; round < 4; round++) {
    work(round);
    sum = mixed(sum, checked(data, 8 + round));
    sum = mixed(sum, climb(round + 2));
  }
  sum = mixed(sum, software_interrupts);
  return sum;
}
