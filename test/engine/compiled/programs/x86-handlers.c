/* Interrupt handlers, as a compiler makes them. */
#include "support.h"

volatile u32 interrupts, software_interrupts, faults;
static volatile u32 ticks[4];
struct frame;

NOINLINE static void count_tick(u32 which) { ticks[which & 3]++; }

__attribute__((interrupt)) USED void irq_handler(struct frame *frame) {
  (void)frame;
  interrupts++;
  count_tick(interrupts);
}
__attribute__((interrupt)) USED void int_handler(struct frame *frame) {
  (void)frame;
  software_interrupts++;
  count_tick(3);
}
