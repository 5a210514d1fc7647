/* A fault on purpose: `copy` copies one item more than it should, over the total that follows the items. */
#include "support.h"

struct order {
  u32 items[4];
  u32 total;
};

static const u32 prices[] = {120, 80, 45, 5, 9999};
static struct order order;
static u32 shown;

NOINLINE static u32 sum_of(const u32 *items, u32 count) {
  u32 sum = 0;
  while (count-- > 0) sum += *items++;
  return sum;
}

NOINLINE static void copy(u32 *to, const u32 *from, u32 count) {
  u32 i;
  for (i = 0; i <= count; i++) to[i] = from[i];
}

NOINLINE static void show(u32 value) { shown = value; }

u32 program(void) {
  order.total = sum_of(prices, 4);
  copy(order.items, prices, 4);
  show(order.total);
  return shown;
}
