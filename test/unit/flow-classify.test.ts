/** Kinds of branch instructions from the opcode, compared with kinds from Capstone's text for it. Only the manual is common to both. */
import { beforeAll, describe, expect, test } from 'vitest';
import { loadDisassembler, type Disassembler } from '../../electron/engine/image/disassembler.ts';
import type { Isa } from '../../electron/engine/image/machine.ts';
import { BRANCH_KINDS, NO_BRANCH } from '../../shared/flow/events.ts';
import { classifyA64, classifyArm, classifyThumb, classifyWideThumb } from '../../shared/flow/arm.ts';
import { classify, type Code } from '../../shared/flow/classify.ts';
import { mipsBranch, riscvBranch, type CodedBranch } from '../../shared/flow/mips.ts';
import { createPoint, POINT, type Point } from '../../shared/flow/point.ts';
import { classifyText } from '../../shared/flow/text.ts';
import { createRandom } from '../laws/random.ts';

let disassembler: Disassembler;

beforeAll(async () => {
  disassembler = await loadDisassembler();
});

const ADDRESS = 0x1000_8000;

interface Sort {
  readonly isa: Isa;
  readonly size: 2 | 4;
  /** Bits that are random, and bits that are set. */
  readonly free: number;
  readonly set: number;
  readonly classify: (opcode: number, point: Point) => void;
  /** Text of encodings without a meaning on any processor. */
  readonly without?: RegExp;
}

const coded = (read: (opcode: number, address: number) => CodedBranch) => (opcode: number, point: Point) => {
  const { branch, target } = read(opcode, ADDRESS);
  point.branch = branch;
  if (target === undefined) return;
  point.mark |= POINT.direct;
  point.targetLow = target;
};

const USER_LOADS = /^(ldrt|rfe)/;
const PC_RESULT = /^(?!ldr|mov pc)\S+ pc,|^ldrt|^movs/;
const SORTS: Readonly<Record<string, Sort>> = {
  'ARM, any': { isa: 'arm', size: 4, free: 0xffffffff, set: 0, classify: classifyArm, without: USER_LOADS },
  'ARM to the program counter': {
    isa: 'arm',
    size: 4,
    free: 0x0fff0fff,
    set: 0xe000f000,
    classify: classifyArm,
    without: USER_LOADS,
  },
  'ARM, BX and the like': { isa: 'arm', size: 4, free: 0x00ff, set: 0xe12fff00, classify: classifyArm },
  'ARM without condition': {
    isa: 'arm',
    size: 4,
    free: 0x0fffffff,
    set: 0xf0000000,
    classify: classifyArm,
    without: USER_LOADS,
  },
  Thumb: { isa: 'thumb', size: 2, free: 0xffff, set: 0, classify: classifyThumb },
  'wide Thumb': {
    isa: 'thumb',
    size: 4,
    free: 0x1fffffff,
    set: 0xe8000000,
    classify: classifyWideThumb,
    without: PC_RESULT,
  },
  'wide Thumb branches': { isa: 'thumb', size: 4, free: 0x07ff7fff, set: 0xf0008000, classify: classifyWideThumb },
  'AArch64, any': { isa: 'aarch64', size: 4, free: 0xffffffff, set: 0, classify: classifyA64 },
  'AArch64 branches': { isa: 'aarch64', size: 4, free: 0xe3ffffff, set: 0x14000000, classify: classifyA64 },
  'AArch64 by register': { isa: 'aarch64', size: 4, free: 0x01ff03e0, set: 0xd6000000, classify: classifyA64 },
  'MIPS branches': {
    isa: 'mips32',
    size: 4,
    free: 0x1fffffff,
    set: 0,
    classify: coded(mipsBranch),
    without: /^(break|syscall)/,
  },
  'RISC-V branches': {
    isa: 'riscv32',
    size: 4,
    free: 0xffffff80,
    set: 0x63,
    classify: coded(riscvBranch),
    without: /^jalr zero, t0/,
  },
  'RISC-V JAL': { isa: 'riscv32', size: 4, free: 0xffffff80, set: 0x6f, classify: coded(riscvBranch) },
};

test.each(Object.entries(SORTS))(
  'classifies %s alike by opcode and by text',
  (_, { isa, size, free, set, classify: read, without }) => {
    const random = createRandom(7);
    let branches = 0;
    for (let i = 0; i < 20_000; i++) {
      const opcode = ((random.below(2 ** 32) & free) | set) >>> 0;
      const bytes = bytesOf(opcode, size, isa);
      const found = disassembler.disassemble({ isa, bytes, littleEndian: true, address: BigInt(ADDRESS) });
      if (found?.size !== size || without?.test(found.text) === true) continue;
      const point = Object.assign(createPoint(), { addressLow: ADDRESS, size });
      read(opcode, point);
      const text = createPoint();
      classifyText(found.text, text);
      expect([nameOf(point.branch), opcode.toString(16), found.text]).toEqual([
        nameOf(text.branch),
        opcode.toString(16),
        found.text,
      ]);
      if (point.branch === NO_BRANCH) continue;
      branches++;
      const named = /#?(-?)0x([0-9a-f]+)$/.exec(found.text);
      if ((point.mark & POINT.direct) === 0 || named === null) continue;
      const value = Number.parseInt(named[2] ?? '', 16) * (named[1] === '-' ? -1 : 1);
      expect([point.targetLow, found.text]).toEqual([isa === 'riscv32' ? ADDRESS + value : value, found.text]);
    }
    expect(branches).toBeGreaterThan(100);
  },
);

function bytesOf(opcode: number, size: number, isa: Isa): Uint8Array {
  const [a, b, c, d] = [opcode & 255, (opcode >>> 8) & 255, (opcode >>> 16) & 255, opcode >>> 24];
  if (size === 2) return Uint8Array.from([a, b]);
  return Uint8Array.from(isa === 'thumb' ? [c, d, a, b] : [a, b, c, d]);
}

function nameOf(branch: number): string {
  return BRANCH_KINDS[branch] ?? 'none';
}

// Instructions as traces print them, with their kind by the manual.
test.each([
  ['bl #0x8624', 'call'],
  ['BLEQ     {pc}+0xc ; 0x8018', 'call'],
  ['bleq 0x8000', 'call'],
  ['ble #0x8000', 'jump'],
  ['blt #0x8000', 'jump'],
  ['bls 0x8000', 'jump'],
  ['bic r0, r0, #1', 'none'],
  ['bkpt #0', 'exception'],
  ['BX       r14', 'return'],
  ['bxge lr', 'return'],
  ['bx r3', 'jump'],
  ['popge {r4, r5, r6, r7, pc}', 'return'],
  ['pop {r1, r2, lr}', 'none'],
  ['ldm sp!, {r1, r2, r3, r4, ip, pc} ^', 'return'],
  ['LDMFD    r13!,{r4-r11,pc}', 'return'],
  ['ldmda r0, {r1, r2}', 'none'],
  ['LDR      pc,[sp],#4', 'return'],
  ['LDR      pc,{pc}+0x20 ; 0x20', 'jump'],
  ['str pc, [r0]', 'none'],
  ['mov pc, lr', 'return'],
  ['moveq r15,r14', 'return'],
  ['mov pc, r3', 'jump'],
  ['cmp pc, lr', 'none'],
  // x86-64, where R15 is an ordinary register.
  ['mov r15, r14', 'none'],
  ['mov r15, qword ptr [rdi]', 'none'],
  ['add r15, 0x10', 'none'],
  ['sub r15, rax', 'none'],
  ['mov r15, lr', 'return'],
  ['subs pc, lr, #4', 'return'],
  ['add pc, pc, r3, lsl #2', 'jump'],
  ['svc #0x42', 'exception'],
  ['SWI      0x123456', 'exception'],
  ['b.ne 0x4d6e8c', 'jump'],
  ['cbnz x0, #0x1000', 'jump'],
  ['blr x8', 'call'],
  ['ret', 'return'],
  ['eret', 'return'],
  ['jal 0x80001234', 'call'],
  ['jal zero, 16', 'jump'],
  ['jal ra,80001234', 'call'],
  ['jalr ra,0(t1)', 'call'],
  ['jalr t9', 'call'],
  ['jalr zero,0(ra)', 'return'],
  ['jr ra', 'return'],
  ['jr $31', 'return'],
  ['jr t9', 'jump'],
  ['c.jr ra', 'return'],
  ['c.jalr a5', 'call'],
  ['c.j 80001234', 'jump'],
  ['bgezal zero,0x80001000', 'call'],
  // Compact branches of MIPS release 6.
  ['bc 0x80001000', 'jump'],
  ['balc 0x80001000', 'call'],
  ['bovc a0,a1,0x80001000', 'jump'],
  ['bltuc a0,a1,0x80001000', 'jump'],
  ['beqzalc a0,0x80001000', 'call'],
  ['jrc ra', 'return'],
  ['jic $ra, 0', 'return'],
  ['jic $t9, 0', 'jump'],
  ['jialc $t9, 0', 'call'],
  ['beqz t0,0x80001000', 'jump'],
  ['bnel a0,a1,0x80001000', 'jump'],
  ['ecall', 'exception'],
  ['mret', 'return'],
  ['call 0x100640', 'call'],
  ['callq *%rax', 'call'],
  ['rep ret', 'return'],
  ['bnd jmp 0x401000', 'jump'],
  ['jne 0x401000', 'jump'],
  ['int 80h', 'exception'],
  ['int3', 'exception'],
  ['iretd', 'return'],
  ['loopne 0x1000', 'jump'],
  ['bswap eax', 'none'],
  ['bsf eax, ecx', 'none'],
  ['jecxz 0x1000', 'jump'],
  ['bt eax, 1', 'none'],
  ['lui t0,0x1', 'none'],
  // Armv8.1-M loops, and pointer authentication.
  ['WLS      LR,r0,0x1118', 'jump'],
  ['wlstp.32 lr, r1, #0x20', 'jump'],
  ['LE       LR,0x110a', 'jump'],
  ['le #-0x10', 'jump'],
  ['LETP     LR,0x110a', 'jump'],
  ['DLS      LR,r0', 'none'],
  ['dlstp.16 lr, r2', 'none'],
  ['lctp', 'none'],
  ['le %f0,0(%r1)', 'none'],
  ['BXAUT    r12,lr,sp', 'return'],
  ['bxaut r12, r3, sp', 'jump'],
  ['retaa', 'return'],
  ['retabsppc 0x8000', 'return'],
  ['eretab', 'return'],
  ['braa x1, x2', 'jump'],
  ['brabz x1', 'jump'],
  ['blraaz x8', 'call'],
  ['blrab x8, sp', 'call'],
  ['', 'none'],
  ['(1st instr of BL pair)', 'none'],
])('classifies %s as %s', (text, kind) => {
  const point = createPoint();
  classifyText(text, point);
  expect(nameOf(point.branch)).toBe(kind);
});

// Encodings by LLVM's assembler; targets of loops count from the instruction's address plus 4.
test.each([
  ['thumb', 0xf00fc803, 'le lr, #-6', 'jump', -2],
  ['thumb', 0xf02fc005, 'le #-8', 'jump', -4],
  ['thumb', 0xf01fc801, 'letp lr, #-2', 'jump', 2],
  ['thumb', 0xf040c807, 'wls lr, r0, #14', 'jump', 18],
  ['thumb', 0xf000c157, 'wlstp.8 lr, r0, #684', 'jump', 688],
  ['thumb', 0xf040e001, 'dls lr, r0', 'none', undefined],
  ['thumb', 0xf01ee001, 'dlstp.16 lr, lr', 'none', undefined],
  ['thumb', 0xf00fe001, 'lctp', 'none', undefined],
  ['thumb', 0xfb5ecf1d, 'bxaut r12, lr, sp', 'return', undefined],
  ['thumb', 0xfb53cf1d, 'bxaut r12, r3, sp', 'jump', undefined],
  ['a64', 0xd65f0bff, 'retaa', 'return', undefined],
  ['a64', 0xd65f0fff, 'retab', 'return', undefined],
  ['a64', 0xd69f0bff, 'eretaa', 'return', undefined],
  ['a64', 0xd71f0822, 'braa x1, x2', 'jump', undefined],
  ['a64', 0xd61f083f, 'braaz x1', 'jump', undefined],
  ['a64', 0xd61f0c3f, 'brabz x1', 'jump', undefined],
  ['a64', 0xd73f0822, 'blraa x1, x2', 'call', undefined],
  ['a64', 0xd63f0c3f, 'blrabz x1', 'call', undefined],
  ['a64', 0x5500021f, 'retaasppc', 'return', undefined],
] as const)('classifies %s opcode %i as %s does', (set, opcode, text, kind, target) => {
  for (const shown of ['', text]) {
    const point = Object.assign(createPoint(), { addressLow: ADDRESS, size: 4 });
    classify({ opcode, size: 4, set, text: shown }, point);
    const direct = (point.mark & POINT.direct) === 0 ? undefined : point.targetLow - ADDRESS;
    expect([nameOf(point.branch), direct]).toEqual([kind, target]);
  }
});

test('takes no target from the opcode of a loop if the text has another one', () => {
  const read = (text: string): Point => {
    const point = Object.assign(createPoint(), { addressLow: 0x110c, size: 4 });
    classify({ opcode: 0xf01fc803, size: 4, set: 'thumb', text }, point);
    return point;
  };
  expect(read('LETP LR,0x110a').mark & POINT.direct).toBe(POINT.direct);
  expect(read('LETP LR,0x1106').mark & POINT.direct).toBe(0);
  expect(read('LETP LR,0x1106').branch).toBe(BRANCH_KINDS.indexOf('jump'));
});

describe('trace without a processor name', () => {
  const read = (code: Partial<Code>, address = 0x8000): Point => {
    const point = Object.assign(createPoint(), { addressLow: address, size: code.size ?? 4 });
    classify({ opcode: 0, size: 4, set: 'unknown', text: '', ...code }, point);
    return point;
  };

  test.each([
    // A branch to its own address plus 8; 0xeafffffe would branch to itself.
    ['ARM', 0xea000000, 'b #0x8008', 0x8008, false],
    ['MIPS', 0x0c002000, 'jal 0x8000', 0x8000, true],
    ['MIPS', 0x1000ffff, 'b 0x8000', 0x8000, true],
    // BLEZC of release 6; earlier releases have BLEZL here.
    ['MIPS, compact', 0x58040003, 'blezc a0,0x8010', 0x8010, false],
    // BLEZ and BGTZ as QEMU prints them for every release; release 6 has BGEUC and BLTUC only if two registers are compared.
    ['MIPS, printed as compact', 0x18c00003, 'bgeuc a2,zero,0x8010', 0x8010, true],
    ['MIPS, printed as compact', 0x1fc00003, 'bltuc s8,zero,0x8010', 0x8010, true],
    ['MIPS, compact', 0x18c50003, 'bgeuc a2,a1,0x8010', 0x8010, false],
    ['RISC-V', 0x0000006f, 'j 0x8000', 0x8000, false],
    ['AArch64', 0x94000001, 'bl 0x8004', 0x8004, false],
  ])('recognises code of %s: %s %s', (_, opcode, text, target, delay) => {
    const { mark, targetLow } = read({ opcode, text });
    expect({ direct: (mark & POINT.direct) !== 0, targetLow, delay: (mark & POINT.delay) !== 0 }).toEqual({
      direct: true,
      targetLow: target,
      delay,
    });
  });

  test.each([
    ['b 8008', true],
    ['b 0x00008008 <f+0x8>', true],
    ['b 0000000000008008', true],
    ['B 0X8008', true],
    ['b #0x18008', false],
    ['b #0x80080', false],
    ['b 0xffffffff00008008', false],
    ['b 0x100000000000000008008', false],
  ])('finds the target address in the text: %s', (text, direct) => {
    expect((read({ opcode: 0xea000000, text }).mark & POINT.direct) !== 0).toBe(direct);
  });

  // Kernels are loaded there. The opcodes of the first two are also BNE and BNEL of MIPS, which have a delay slot.
  test.each([
    ['AArch64', 0x1400000f, 'b #0xffff000008080040', 0xffff0000, 0x08080004, 0x08080040, false],
    ['AArch64', 0x54000041, 'b.ne #0xffff000008080050', 0xffff0000, 0x08080048, 0x08080050, false],
    ['AArch64', 0x9400002f, 'bl #0xffff000008080100', 0xffff0000, 0x08080044, 0x08080100, false],
    // Targets 224 and 352 bytes ahead; the opcodes are also JAL and BNE of MIPS.
    ['RISC-V', 0x0e0000ef, 'jal ra,224 # 0xffffffff800010e0', 0xffffffff, 0x80001000, 0x800010e0, false],
    ['RISC-V', 0x16b51063, 'bne a0,a1,352 # 0xffffffe000001160', 0xffffffe0, 0x00001000, 0x00001160, false],
    ['MIPS', 0x0c000408, 'jal 0xffffffff80001020', 0xffffffff, 0x80001000, 0x80001020, true],
    ['MIPS', 0x0c000408, 'jal 0x80001020', 0xffffffff, 0x80001000, 0x80001020, true],
    ['MIPS', 0x10000003, 'b 0xffffffff80001010', 0, 0x80001000, 0x80001010, true],
  ])('classifies 64-bit code of %s: %s %s', (_, opcode, text, high, low, target, delay) => {
    const point = Object.assign(createPoint(), { addressLow: low, addressHigh: high, size: 4 });
    classify({ opcode, size: 4, set: 'unknown', text }, point);
    const { mark, targetLow, targetHigh } = point;
    expect({ direct: (mark & POINT.direct) !== 0, targetLow, targetHigh, delay: (mark & POINT.delay) !== 0 }).toEqual({
      direct: true,
      targetLow: target,
      targetHigh: high,
      delay,
    });
  });

  test.each([
    ['AArch64', 0x1400000f, 'b loop'],
    ['AArch64', 0x54000041, 'b.ne loop'],
    ['RISC-V', 0x0e0000ef, 'jal ra,224'],
    ['RISC-V', 0x16b51063, 'bne a0,a1,352'],
  ])('finds no delay slot for %s: %s %s, although MIPS has a branch with that opcode', (_, opcode, text) => {
    expect(read({ opcode, text }).mark & (POINT.direct | POINT.delay)).toBe(0);
  });

  test('returns no target for a branch whose text has no address', () => {
    expect(read({ opcode: 0x00008067, text: 'ret' }).mark & (POINT.direct | POINT.delay)).toBe(0);
    expect(read({ opcode: 0x03e00008, text: 'jr ra' }).mark & (POINT.direct | POINT.delay)).toBe(POINT.delay);
    expect(read({ opcode: 0x0000_0063, text: 'beqz x0, pc+0' }).mark & POINT.direct).toBe(0);
  });

  test.each([
    ['x86-64', 3, 0x4d89f7, 'mov r15, r14', 'none', 0],
    ['x86-64', 4, 0x4983c710, 'add r15, 0x10', 'none', 0],
    ['x86-64', 3, 0x4d89fe, 'mov r14, r15', 'none', 0],
    ['ARM', 4, 0xe1a0f00e, 'mov r15, r14', 'return', 0],
    ['ARM', 4, 0xe1a0e00f, 'mov r14, r15', 'none', POINT.link],
    ['ARM', 4, 0x11a0e00f, 'movne lr, pc', 'none', POINT.link],
    ['Thumb', 2, 0x46f7, 'mov r15, r14', 'return', 0],
  ])('reads r14 and r15 as %s does: %i %s %s', (_, size, opcode, text, kind, link) => {
    const { branch, mark } = read({ size, opcode, text });
    expect([nameOf(branch), mark & POINT.link]).toEqual([kind, link]);
  });

  test.each([
    [4, 0x0320f809, 'jalr t9', 0],
    [4, 0x000780e7, 'jalr ra,a5,0', 0],
    [2, 0x9782, 'c.jalr a5', 0],
    [2, 0xffd0, 'callq *%rax', 0],
    [2, 0xffe0, 'notrack jmp eax', 0],
    [4, 0xd63f0100, 'blr x8', 0],
    [4, 0xd61f0200, 'br x16', 0],
    [4, 0xe12fff33, 'blx r3', POINT.vectors],
    [2, 0x4718, 'bx r3', POINT.vectors],
    [4, 0xe1a0f003, 'mov pc, r3', POINT.vectors],
  ])('recognises ARM vectors at address 0 by the instruction: %i %s %s', (size, opcode, text, vectors) => {
    expect(read({ size, opcode, text }, 0x44).mark & POINT.vectors).toBe(vectors);
  });

  // The opcodes are also BEQ and BEQL of MIPS.
  test.each([
    [0x112fff13, 'bxne r3'],
    [0x512fff13, 'bxpl r3'],
  ])('finds no delay slot for an ARM jump through a register: %s', (opcode, text) => {
    const { branch, mark } = read({ opcode, text });
    expect([nameOf(branch), mark & (POINT.direct | POINT.delay)]).toEqual(['jump', 0]);
  });

  test('classifies a JALR that links nothing as a return in MIPS release 6', () => {
    const { branch, mark } = read({ opcode: 0x03e00009, text: 'jr ra' });
    expect([nameOf(branch), mark & (POINT.direct | POINT.delay)]).toEqual(['return', POINT.delay]);
  });

  // The opcodes are also JAL, J and BNE of MIPS.
  test.each([
    [0x0c8080e7, 'jalr 200(ra)', 'call'],
    [0x08430067, 'jr 132(t1)', 'jump'],
    [0x14030067, 'jr 320(t1)', 'jump'],
  ])('finds no delay slot for a RISC-V jump through a register: %s', (opcode, text, kind) => {
    const { branch, mark } = read({ opcode, text });
    expect([nameOf(branch), mark & (POINT.direct | POINT.delay)]).toEqual([kind, 0]);
  });

  test.each([
    [4, 0x00028067, 'jr t0', 'return'],
    [4, 0x00028067, 'jalr zero,0(t0)', 'return'],
    [2, 0x8282, 'c.jr t0', 'return'],
    [2, 0x8282, 'jr t0', 'return'],
    [4, 0x00030067, 'jr t1', 'jump'],
    // MIPS, where it is an ordinary register.
    [4, 0x01000008, 'jr t0', 'jump'],
  ])('recognises the second link register of RISC-V: %i %s %s', (size, opcode, text, kind) => {
    expect(nameOf(read({ size, opcode, text }).branch)).toBe(kind);
  });
});
