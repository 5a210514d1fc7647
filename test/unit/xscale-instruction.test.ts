// Effects of instructions on control flow: known encodings, and Capstone's text as the oracle for random words.
import { describe, expect, test } from 'vitest';
import { classify, DOES, targetOf } from '../../electron/engine/flow/captures/xscale/instruction.ts';
import { loadDisassembler } from '../../electron/engine/image/disassembler.ts';
import { createRandom } from '../laws/random.ts';

const NAMES = Object.entries(DOES);

function does(word: number, thumb: boolean): string {
  const bits = classify(word, thumb);
  return NAMES.filter(([, bit]) => (bits & bit) !== 0)
    .map(([name]) => name)
    .join(' ');
}

test.each([
  [0xe1a00000, 'mov r0, r0', ''],
  [0xea000001, 'b', 'direct fixed'],
  [0x1afffffe, 'bne', 'direct conditional fixed'],
  [0xeb000001, 'bl', 'direct call fixed'],
  [0xfa000001, 'blx', 'indirect call fixed toThumb'],
  [0xe12fff1e, 'bx lr', 'indirect return toEither'],
  [0xe12fff13, 'bx r3', 'indirect toEither'],
  [0x012fff3c, 'blxeq ip', 'indirect conditional call toEither'],
  [0xe8bd8010, 'pop {r4, pc}', 'indirect return loadsPc memory toEither'],
  [0xe8bd4010, 'pop {r4, lr}', 'memory'],
  [0xe8fd8001, 'ldm sp!, {r0, pc}^', 'indirect return loadsPc memory toEither restores'],
  [0xe49df004, 'pop {pc}', 'indirect return loadsPc memory toEither'],
  [0x979ff102, 'ldrls pc, [pc, r2, lsl #2]', 'indirect conditional loadsPc memory toEither'],
  [0xe1a0f00e, 'mov pc, lr', 'indirect return'],
  [0x908ff103, 'addls pc, pc, r3, lsl #2', 'indirect conditional'],
  [0xe25ef004, 'subs pc, lr, #4', 'indirect return toEither restores'],
  [0xe31e0001, 'tst lr, #1', ''],
  [0xe335f000, 'teqp r5, #0', ''],
  [0xef000042, 'svc', 'swi'],
  [0xe1200070, 'bkpt', 'traps'],
  [0xe7f000f0, 'udf', 'traps'],
  [0xe10f1000, 'mrs r1, cpsr', ''],
  [0xe329f0d3, 'msr cpsr_fc, #0xd3', ''],
  [0xe1012092, 'swp r2, r2, [r1]', 'memory'],
  [0xe0010392, 'mul r1, r2, r3', ''],
  [0xe1c120b2, 'strh r2, [r1, #2]', 'memory'],
  [0xee070f15, 'mcr p15', 'mayTrap'],
  [0xf5d1f000, 'pld [r1]', ''],
])('reads the control flow of ARM %s %s', (word, _, wanted) => {
  expect(does(word, false)).toBe(wanted);
});

test.each([
  [0x46c0, 'nop', ''],
  [0xe001, 'b', 'direct fixed'],
  [0xd1fe, 'bne', 'direct conditional fixed'],
  [0xf000, 'bl, first half', 'prefix'],
  [0xf801, 'bl, second half', 'direct call fixed suffix'],
  [0xe802, 'blx, second half', 'indirect call fixed suffix toArm'],
  [0xe801, 'no instruction', 'traps'],
  [0x4770, 'bx lr', 'indirect return toEither'],
  [0x4718, 'bx r3', 'indirect toEither'],
  [0x4778, 'bx pc', 'indirect fixed toArm'],
  [0x4798, 'blx r3', 'indirect call toEither'],
  [0xbd10, 'pop {r4, pc}', 'indirect return loadsPc memory toEither'],
  [0xbc10, 'pop {r4}', 'memory'],
  [0xb510, 'push {r4, lr}', 'memory'],
  [0x46f7, 'mov pc, lr', 'indirect return'],
  [0x4487, 'add pc, r0', 'indirect'],
  [0x45f8, 'cmp r8, pc', ''],
  [0xdf42, 'svc', 'swi'],
  [0xde01, 'udf', 'traps'],
  [0xbe00, 'bkpt', 'traps'],
  [0x4a03, 'ldr r2, [pc, #12]', 'memory'],
])('reads the control flow of Thumb %s %s', (half, _, wanted) => {
  expect(does(half, true)).toBe(wanted);
});

test('computes targets encoded in instructions', () => {
  expect(targetOf(0xeafffffe, false, 0x8000)).toBe(0x8000);
  expect(targetOf(0xeb000010, false, 0x8000)).toBe(0x8048);
  expect(targetOf(0xea800000, false, 0x0)).toBe(0xfe000008);
  expect(targetOf(0xfb000000, false, 0x8000)).toBe(0x800a);
  expect(targetOf(0xd0fe, true, 0x8000)).toBe(0x8000);
  expect(targetOf(0xe7fe, true, 0x8002)).toBe(0x8002);
  expect(targetOf(0x4778, true, 0x8002)).toBe(0x8004);
  // BL from 0x8000 and 0x8002 to 0x8000 + 4 + 0x1000 + 2, and back by 4 KiB
  expect(targetOf(0xf801, true, 0x8002, 0xf001)).toBe(0x9006);
  expect(targetOf(0xf801, true, 0x8002, 0xf7ff)).toBe(0x7006);
  // BLX from Thumb code leads to a multiple of 4.
  expect(targetOf(0xe802, true, 0x8004, 0xf000)).toBe(0x8008);
});

describe('agrees with Capstone', () => {
  const WORDS = 40_000;

  test.each([false, true])('Thumb: %s', async (thumb) => {
    const { disassemble } = await loadDisassembler();
    const random = createRandom(5);
    const seen = { direct: 0, indirect: 0, svc: 0, others: 0 };
    const size = thumb ? 2 : 4;
    for (let i = 0; i < WORDS; i++) {
      const bytes = random.bytes(size);
      const word = bytes.reduce((sum, byte, k) => sum + byte * 256 ** k, 0) >>> 0;
      const bits = classify(word, thumb);
      const read = disassemble({ isa: thumb ? 'thumb' : 'arm', bytes, littleEndian: true, address: 0x10000n });
      // Capstone reads two call halves as one instruction, and knows instructions later than ARMv5.
      const isHalf = thumb && word >>> 11 >= 0x1d;
      if (read === undefined || isHalf || (bits & DOES.traps) !== 0) continue;
      const [name = '', operands = ''] = read.text.split(/ (.*)/s);
      const hint = `${word.toString(16)}: ${read.text}`;
      if (isOther(name)) continue;
      const isDirect = /^bl?(eq|ne|[ch]s|lo|cc|mi|pl|v[sc]|hi|ls|ge|lt|gt|le)?(\.w)?$/.test(name);
      expect((bits & DOES.direct) !== 0, hint).toBe(isDirect);
      expect((bits & DOES.swi) !== 0, hint).toBe(name.startsWith('svc'));
      const goes = /^b[lx]x?/.test(name) && !isDirect && !name.startsWith('bic');
      expect((bits & DOES.indirect) !== 0, hint).toBe(goes || setsPc(name, operands));
      const target = /^#(0x[0-9a-f]+|\d+)$/.exec(operands)?.[1];
      if ((isDirect || goes) && target !== undefined) expect(targetOf(word, thumb, 0x10000), hint).toBe(Number(target));
      seen[
        isDirect ? 'direct' : (bits & DOES.indirect) !== 0 ? 'indirect' : name.startsWith('svc') ? 'svc' : 'others'
      ]++;
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
  });
});

/** Encodings that ARMv5 lacks or reads differently. */
function isOther(name: string): boolean {
  return /^(cbn?z|it|bxj|movw|movt|nop|yield|wf[ei]|sev|dbg|hint|rfe|srs|cps|setend|v[a-z0-9]|fld|fst|ldaex|stl|lda|ldrex|strex|clrex|hlt|hvc|smc|eret|d[ms]b|isb|crc|pld|csdb|esb)/.test(
    name,
  );
}

/** True if the instruction sets the program counter. */
function setsPc(name: string, operands: string): boolean {
  if (/^(ldm|pop)/.test(name)) return /\{.*\bpc\b.*\}/.test(operands);
  if (name.startsWith('ldr')) return LOADS_WORD.test(name) && /^pc\b/.test(operands);
  if (/^(st|push|cmp|cmn|tst|teq|mcr|mrc|mul|ml[as]|[us]m|q|swp|ldc|cdp|msr|mrs|clz)/.test(name)) return false;
  return /^pc\b/.test(operands);
}

const LOADS_WORD = /^ldrt?(eq|ne|[ch]s|lo|cc|mi|pl|v[sc]|hi|ls|ge|lt|gt|le)?$/;
