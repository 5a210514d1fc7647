import { describe, expect, it } from 'vitest';
import type { Isa } from '../../electron/engine/image/machine.ts';
import { addressOf, type Effects } from '../../electron/engine/instructions/effects.ts';
import { loadEffects, registerFileOf } from '../../electron/engine/instructions/effects-reader.ts';
import { EFFECTS } from './effects-tables.ts';
import { effectsText } from './effects-text.ts';

const { effectsOf } = await loadEffects();
const ADDRESS = 0x8000n;

/** Returns the bytes of an opcode in memory: x86 has them in order, Thumb the upper half-word first. */
function bytesOf(isa: Isa, opcode: string): Uint8Array {
  const bytes = opcode.match(/../g)!.map((digits) => Number.parseInt(digits, 16));
  if (isa.startsWith('x86')) return Uint8Array.from(bytes);
  if (isa !== 'thumb' || bytes.length === 2) return Uint8Array.from(bytes.reverse());
  return Uint8Array.from([bytes[1]!, bytes[0]!, bytes[3]!, bytes[2]!]);
}

function read(isa: Isa, opcode: string, condition?: number, address = ADDRESS): Effects {
  return effectsOf({ isa, bytes: bytesOf(isa, opcode), littleEndian: true, address }, condition)!;
}

describe.each(Object.entries(EFFECTS) as [Isa, (typeof EFFECTS)[Isa]][])('effects of %s', (isa, rows) => {
  it.each(rows)('%s: %s', (opcode, text, expected) => {
    const effects = read(isa, opcode);
    expect([effects.text, effects.size, effectsText(effects, registerFileOf(isa))]).toEqual([
      text,
      opcode.length / 2,
      expected,
    ]);
  });
});

describe('an instruction of Thumb in an IT block', () => {
  it.each([
    // The 16-bit addition sets no flags there, the comparison does.
    ['1888', 'addeq r0, r1, r2', 'r0<-r1,r2,cpsr.z?'],
    ['4288', 'cmpeq r0, r1', 'cpsr.n,cpsr.z,cpsr.c,cpsr.v<-r0,r1,cpsr.z?'],
    ['bd10', 'popeq {r4, pc}', 'read0:8@r13 r4=[0+0:4],cpsr.z? r13<-cpsr.z? return(cpsr.z,[0+4:4])'],
  ])('%s is %s', (opcode, text, expected) => {
    const effects = read('thumb', opcode, 0);
    expect([effects.text, effectsText(effects, registerFileOf('thumb'))]).toEqual([text, expected]);
  });

  it('leaves the next instruction without a condition', () => {
    expect([read('thumb', 'bf08').text, read('thumb', '4288').text]).toEqual(['it eq', 'cmp r0, r1']);
  });
});

describe('effectsOf', () => {
  it('disassembles an instruction at the address of each call', () => {
    const [first, second, again] = [0x8000n, 0x9000n, 0x8000n].map((address) =>
      read('arm', 'ea000000', undefined, address),
    );
    expect([first!.text, second!.text, again!.text]).toEqual(['b #0x8008', 'b #0x9008', 'b #0x8008']);
  });

  it('does not depend on later changes of the bytes', () => {
    const bytes = bytesOf('x86-64', '4801d8');
    const effects = effectsOf({ isa: 'x86-64', bytes, littleEndian: true, address: ADDRESS })!;
    bytes.fill(0x90);
    expect(effects.text).toBe('add rax, rbx');
  });

  it('reads words in big-endian order', () => {
    const bytes = Uint8Array.from([0xe0, 0x81, 0x00, 0x02]);
    expect(effectsOf({ isa: 'arm', bytes, littleEndian: false, address: ADDRESS })!.text).toBe('add r0, r1, r2');
    const thumb = Uint8Array.from([0xf8, 0xd1, 0x00, 0x04]);
    const effects = effectsOf({ isa: 'thumb', bytes: thumb, littleEndian: false, address: ADDRESS })!;
    expect([effects.text, effectsText(effects, registerFileOf('thumb'))]).toEqual([
      'ldr.w r0, [r1, #4]',
      'read0:4@r1+4 r0=[0]',
    ]);
  });

  it('returns undefined for bytes that are no instruction', () => {
    expect(read('arm', 'f0000010')).toBeUndefined();
    expect(effectsOf({ isa: 'arm', bytes: new Uint8Array(2), littleEndian: true, address: ADDRESS })).toBeUndefined();
  });
});

describe('addressOf', () => {
  /** Values of registers by name. */
  const operandAddress = (isa: Isa, opcode: string, values: Readonly<Record<string, bigint>>): string | undefined => {
    const file = registerFileOf(isa);
    return addressOf(read(isa, opcode).memory[0]!, ADDRESS, (span) => values[file.nameOf(span)])?.toString(16);
  };

  it.each<[Isa, string, string, Readonly<Record<string, bigint>>, string | undefined]>([
    ['arm', 'e59f2060', 'ldr r2, [pc, #0x60]', {}, '8068'],
    ['thumb', '4801', 'ldr r0, [pc, #4]', {}, '8008'],
    ['arm', 'e7100102', 'ldr r0, [r0, -r2, lsl #2]', { r0: 0x100n, r2: 0x10n }, 'c0'],
    ['arm', 'e7100102', 'the same without r2', { r0: 0x100n }, undefined],
    ['arm', 'e92d4010', 'push {r4, lr}', { r13: 4n }, 'fffffffc'],
    ['aarch64', 'b861d820', 'ldr w0, [x1, w1, sxtw #2]', { x1: 0x100n, w1: 0xffff_ffffn }, 'fc'],
    ['x86-64', '488b0500010000', 'mov rax, [rip + 0x100]', {}, '8107'],
    ['x86-64', '8b448b10', 'mov eax, [rbx + rcx*4 + 0x10]', { rbx: 0x1000n, rcx: 2n }, '1018'],
    ['x86-32', 'ff75f8', 'push [ebp - 8]', { ebp: 4n }, 'fffffffc'],
    ['x86-64', '648b042500000000', 'mov eax, fs:[0]', { fs: 0n }, undefined],
  ])('%s %s: %s', (isa, opcode, _text, values, expected) => {
    expect(operandAddress(isa, opcode, values)).toBe(expected);
  });
});

describe('the register file', () => {
  it.each<[Isa, string, string | undefined, readonly (readonly [number, number])[] | undefined]>([
    ['arm', 'SP', undefined, [[52, 4]]],
    ['arm', 'fp', undefined, [[44, 4]]],
    ['arm', 'cpsr', undefined, [[64, 9]]],
    ['arm', 'APSR_nzcv', undefined, [[64, 4]]],
    ['arm', 'd1', undefined, [[136, 8]]],
    ['arm', 's3', undefined, [[140, 4]]],
    ['arm', 'R2 (USR)', undefined, [[8, 4]]],
    ['arm', 'r14_svc', 'svc', [[56, 4]]],
    ['arm', 'LR (SVC)', 'svc_s', [[56, 4]]],
    ['arm', 'r13 (MSP)', undefined, [[52, 4]]],
    ['arm', 'r16', undefined, undefined],
    ['aarch64', 'W0', undefined, [[0, 4]]],
    ['aarch64', 'xzr', undefined, []],
    ['aarch64', 'V0<127:64>', undefined, [[280, 8]]],
    ['aarch64', 'SP_EL1', 'EL1h_ns', [[248, 8]]],
    ['x86-64', 'ah', undefined, [[1, 1]]],
    ['x86-64', 'r8d', undefined, [[64, 4]]],
    ['x86-32', 'rax', undefined, undefined],
    ['riscv64', 'a0', undefined, [[80, 8]]],
    ['riscv64', 'x10', undefined, [[80, 8]]],
    ['riscv64', 'x0', undefined, []],
    ['mips32', '$v0', undefined, [[16, 4]]],
    ['mips32', '$2', undefined, [[16, 4]]],
  ])('of %s has %s in mode %s at %j', (isa, name, mode, expected) => {
    expect(
      registerFileOf(isa)
        .spansOf(name, mode)
        ?.map(({ low, bytes }) => [low, bytes]),
    ).toEqual(expected);
  });

  it('keeps a banked register apart in other modes', () => {
    const file = registerFileOf('arm');
    expect(file.spansOf('r14_svc', 'usr')).toEqual(file.spansOf('LR (SVC)'));
    expect(file.spansOf('r14_svc')).not.toEqual(file.spansOf('r14'));
  });

  it('gives a system register the same bytes under any spelling of an instruction and a trace', () => {
    const file = registerFileOf('riscv64');
    expect(file.spansOf('c773_mtvec')).toEqual(file.spansOf('mtvec'));
    expect(file.nameOf(file.spansOf('mtvec')![0]!)).toBe('mtvec');
  });

  it('names parts and neighbours', () => {
    const file = registerFileOf('arm');
    expect([
      file.nameOf({ low: 1, bytes: 1 }),
      file.nameOf({ low: 0, bytes: 8 }),
      file.nameOf({ low: 65, bytes: 1 }),
      registerFileOf('aarch64').nameOf({ low: 280, bytes: 8 }),
    ]).toEqual(['r0<15:8>', 'r0,r1', 'cpsr.z', 'v0<127:64>']);
  });

  it('says which bits of a status register are in which bytes', () => {
    const fields = registerFileOf('arm').fieldsOf('cpsr')!;
    expect(fields.map(({ span: { low }, bit, bits }) => [low, bit, bits])).toEqual([
      [64, 31, 1],
      [65, 30, 1],
      [66, 29, 1],
      [67, 28, 1],
      [68, 27, 1],
      [69, 16, 4],
      [70, 0, 16],
      [72, 20, 7],
    ]);
  });
});
