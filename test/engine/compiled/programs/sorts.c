/* Recursion, comparison through pointers, leaf functions, division without an instruction for it. */
#include "support.h"

static s32 numbers[48];
static u32 seed;

NOINLINE static u32 next_number(void) { return seed = seed * 1103515245u + 12345u; }

NOINLINE static s32 ascending(const s32 *a, const s32 *b) { return (*a > *b) - (*a < *b); }
NOINLINE static s32 descending(const s32 *a, const s32 *b) { return (*a < *b) - (*a > *b); }
NOINLINE static s32 by_rest(const s32 *a, const s32 *b) {
  u32 x = (u32)*a % 7u, y = (u32)*b % 7u;
  return x == y ? ascending(a, b) : (x > y) - (x < y);
}

static s32 (*const orders[])(const s32 *, const s32 *) = {ascending, descending, by_rest};

NOINLINE static void exchange(s32 *a, s32 *b) {
  s32 kept = *a;
  *a = *b;
  *b = kept;
}

NOINLINE static void sort(s32 *from, s32 *to, s32 (*order)(const s32 *, const s32 *)) {
  s32 *left, *right;
  if (to - from < 2) return;
  left = from;
  for (right = from + 1; right < to; right++)
    if (order(right, from) < 0) exchange(++left, right);
  exchange(from, left);
  sort(from, left, order);
  sort(left + 1, to, order);
}

NOINLINE static u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
NOINLINE static u32 is_odd(u32 n);
NOINLINE static u32 is_even(u32 n) { return n == 0 ? 1 : is_odd(n - 1); }
NOINLINE static u32 is_odd(u32 n) { return n == 0 ? 0 : is_even(n - 1); }
NOINLINE static u32 divisor(u32 a, u32 b) { return b == 0 ? a : divisor(b, a % b); }
NOINLINE static s32 quotient(s32 a, s32 b) { return b == 0 ? 0 : a / b; }
NOINLINE static u32 ackermann(u32 m, u32 n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

u32 program(void) {
  u32 sum = 1, order, i;
  seed = 42;
  for (order = 0; order < 3; order++) {
    for (i = 0; i < 16 - 4 * order; i++) numbers[i] = (s32)(next_number() >> 8 & 1023) - 200;
    sort(numbers, numbers + 16 - 4 * order, orders[order]);
    for (i = 0; i < 16 - 4 * order; i++) sum = mixed(sum, (u32)numbers[i]);
  }
  sum = mixed(sum, fibonacci(7));
  sum = mixed(sum, is_even(9) + 2 * is_odd(12));
  sum = mixed(sum, divisor(352, 378));
  sum = mixed(sum, (u32)quotient(-12345, 89));
  return mixed(sum, ackermann(2, 2));
}
