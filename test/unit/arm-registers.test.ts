/** Status registers and banked names, worked out by hand from the layouts in the architecture manuals. */
import { describe, expect, test } from 'vitest';
import { bankOf, spellFlags } from '../../shared/records/arm-registers.ts';

describe('status register flags', () => {
  test.each([
    // 0110 0000 ... 1 1101 0011: Z and C; A, I and F masked, ARM code, supervisor mode.
    ['cpsr', 0x600001d3n, 'nZCv q A I F t svc'],
    // The same on a core before ARMv6, which has no A bit: interrupts enabled, Thumb, user mode.
    ['CPSR', 0x80000030n, 'Nzcv q i f T usr'],
    // Bit 27; bit 24; GE = 1010; IT[7:2] = 000011 and IT[1:0] = 10 make 00001110; bit 9; IRQ mode with F only.
    ['spsr_irq', 0x0d0a0e52n, 'nzcv Q J GE=1010 IT=0xe E i F t irq'],
    ['SPSR (ABT)', 0xf00000d7n, 'NZCV q I F t abt'],
    // Mode bits 10100 belong to no mode.
    ['cpsr', 0x00000014n, 'nzcv q i f t mode=0x14'],
    // AArch64: M = 01101, D, A, I and F are masked, PAN (22), and bit 32, which has no name here.
    ['cpsr', 0x1004003cdn, 'nzcv PAN D A I F EL3h'],
    ['SPSR_EL1', 0x20000000n, 'nzCv d a i f EL0t'],
    // Cortex-M: Thumb, SysTick is exception 15.
    ['xpsr', 0x6100000fn, 'nZCv q T exception=15'],
    ['psr', 0x01000000n, 'nzcv q T thread'],
    ['ipsr', 0x3n, 'exception=3'],
    ['apsr', 0x880f0000n, 'Nzcv Q GE=1111'],
    ['NZCV', 0x90000000n, 'NzcV'],
    ['DAIF', 0xc0n, 'd a I F'],
    // Flags NaNs and denormals are off (25, 24), rounding is 11, inexact (4) and invalid (0) happened.
    ['FPSCR', 0x43c00011n, 'nZcv DN FZ to-zero IXC IOC'],
    ['FPCR', 0x00400100n, 'up IOE'],
    ['FPSR', 0x08000002n, 'nzcv QC DZC'],
    // 0x246 is 10 0100 0110: interrupts on (9), zero (6), parity (2); bit 1 is always 1.
    ['eflags', 0x246n, 'o d I t s Z a P c'],
    ['EFLAGS', 0x23002n, 'o d i t s z a p c IOPL=3 VM'],
  ])('%s %s', (name, value, text) => {
    expect(spellFlags(name, value)).toBe(text);
  });

  test.each(['r0', 'SCTLR_EL1', 'fpexc', 'cpsr_old_mask', 'control'])('returns no flags for %s', (name) => {
    expect(spellFlags(name, 0x600001d3n)).toBeUndefined();
  });
});

test.each([
  ['r13_svc', 'svc'],
  ['R13 (SVC)', 'svc'],
  ['r8_fiq', 'fiq'],
  ['SP_EL3', 'el3'],
  ['spsr_und', 'und'],
  ['R13 (MSP)', 'msp'],
  ['SCTLR (AARCH32)', undefined],
  ['r13', undefined],
  ['MSP', undefined],
  ['usr', undefined],
])('names the bank of %s', (name, bank) => {
  expect(bankOf(name)).toBe(bank);
});
