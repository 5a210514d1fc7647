/* Handlers of the vectors, as a compiler makes them. */
#include "support.h"

volatile u32 interrupts, software_interrupts, faults;
static volatile u32 ticks[4];

NOINLINE static void count_tick(u32 which) { ticks[which & 3]++; }

__attribute__((interrupt("IRQ"))) USED void irq_handler(void) {
  interrupts++;
  count_tick(interrupts);
}
__attribute__((interrupt("FIQ"))) USED void fiq_handler(void) { interrupts++; }
__attribute__((interrupt("SWI"))) USED void swi_handler(void) {
  software_interrupts++;
  count_tick(3);
}
__attribute__((interrupt("ABORT"))) USED void abort_handler(void) { faults++; }
__attribute__((interrupt("UNDEF"))) USED void undefined_handler(void) { faults++; }
