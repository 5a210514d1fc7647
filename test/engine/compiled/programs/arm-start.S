@ Vectors, stacks, and what C cannot say. The program runs in system mode with interrupts allowed.
  .arm
  .macro vector name, to
  .global \name
  .type \name, %function
\name:
  b \to
  .size \name, . - \name
  .endm

  .section .vectors, "ax"
  vector vector_reset, _start
  vector vector_undefined, undefined_handler
  vector vector_swi, swi_handler
  vector vector_prefetch_abort, abort_handler
  vector vector_data_abort, abort_handler
  nop
  vector vector_irq, irq_handler
  vector vector_fiq, fiq_handler

  .text
  .global _start
  .type _start, %function
_start:
  msr cpsr_c, #0xd1
  ldr sp, =0xf1000
  msr cpsr_c, #0xd2
  ldr sp, =0xf2000
  msr cpsr_c, #0xd7
  ldr sp, =0xf3000
  msr cpsr_c, #0xdb
  ldr sp, =0xf4000
  msr cpsr_c, #0xd3
  ldr sp, =0xf5000
  msr cpsr_c, #0x1f
  ldr sp, =0xff000
  ldr ip, =program
  mov lr, pc
  bx ip
  .global finished
finished:
  b finished
  .size _start, . - _start
  .ltorg

  .global mark_place
  .type mark_place, %function
mark_place:
  stmia r0, {r4-r11, sp, lr}
  mov r0, #0
  bx lr
  .size mark_place, . - mark_place

  .global go_back
  .type go_back, %function
go_back:
  ldmia r0, {r4-r11, sp, lr}
  movs r0, r1
  moveq r0, #1
  bx lr
  .size go_back, . - go_back
