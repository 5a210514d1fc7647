// Instructions of every instruction set, with the bytes that their manuals give.
import { beforeAll, expect, test } from 'vitest';
import { loadDisassembler, type Disassembler } from '../../electron/engine/image/disassembler.ts';
import type { Isa } from '../../electron/engine/image/machine.ts';

let disassembler: Disassembler;

beforeAll(async () => {
  disassembler = await loadDisassembler();
});

test.each([
  ['thumb', '10 b5 ff f7 fe ff 70 47', 8, [2, 4, 2]],
  // The last instruction begins before the end that is given, and uses bytes behind it.
  ['thumb', '10 b5 ff f7 fe ff 70 47', 4, [2, 4]],
  // The second word is no instruction.
  ['arm', '1e ff 2f e1 ff ff ff ff 1e ff 2f e1', 12, [4]],
  ['x86-32', 'e8 00 00 00 00 55 89 e5 c3', 9, [5, 1, 2, 1]],
] as const)('measures the instructions of %s in %s up to byte %i', (isa, hex, end, expected) => {
  const bytes = Uint8Array.from(hex.split(' '), (byte) => Number.parseInt(byte, 16));
  const into = new Uint8Array(8);
  const count = disassembler.sizes({ isa, bytes, littleEndian: true, address: 0x8000n }, end, into);
  expect([...into.subarray(0, count)]).toEqual(expected);
});

test('measures more instructions than it gives to Capstone at once', () => {
  const bytes = new Uint8Array(100_000).fill(0x90);
  const into = new Uint8Array(bytes.length);
  expect(disassembler.sizes({ isa: 'x86-32', bytes, littleEndian: true, address: 0n }, 99_999, into)).toBe(99_999);
  expect(into.indexOf(0)).toBe(99_999);
});

function read(isa: Isa, hex: string, address = 0x8000n, littleEndian = true): string | undefined {
  const bytes = Uint8Array.from(hex.split(' '), (byte) => Number.parseInt(byte, 16));
  const found = disassembler.disassemble({ isa, bytes, littleEndian, address });
  return found && `${found.text} (${found.size})`;
}

test.each([
  // Arm Architecture Reference Manual: LDR (literal), B, BX.
  ['arm', '60 00 9f e5', 'ldr r0, [pc, #0x60] (4)'],
  ['arm', '00 00 00 ea', 'b #0x8008 (4)'],
  ['arm', '1e ff 2f e1', 'bx lr (4)'],
  ['thumb', '10 b5', 'push {r4, lr} (2)'],
  ['thumb', '70 47', 'bx lr (2)'],
  // The upper halfword comes first: BL to itself.
  ['thumb', 'ff f7 fe ff', 'bl #0x8000 (4)'],
  ['aarch64', 'c0 03 5f d6', 'ret (4)'],
  ['aarch64', '01 00 00 94', 'bl #0x8004 (4)'],
  // Intel SDM, volume 2: far jump in real mode as at a PC's reset, near call, MOV with REX.W.
  ['x86-16', 'ea 5b e0 00 f0', 'ljmp 0xf000:0xe05b (5)'],
  ['x86-32', 'e8 00 00 00 00', 'call 0x8005 (5)'],
  ['x86-64', '48 89 e5', 'mov rbp, rsp (3)'],
  ['mips32', '01 00 08 3c', 'lui $t0, 1 (4)'],
  ['mips64', '08 00 e0 03', 'jr $ra (4)'],
  ['riscv32', '41 11', 'c.addi sp, -0x10 (2)'],
  ['riscv64', '23 34 11 00', 'sd ra, 8(sp) (4)'],
] as const)('disassembles %s: %s as %s', (isa, bytes, text) => {
  expect(read(isa, bytes)).toBe(text);
});

test('disassembles the other byte order', () => {
  expect(read('arm', 'e5 9f 00 60', 0n, false)).toBe('ldr r0, [pc, #0x60] (4)');
  expect(read('mips32', '3c 08 00 01', 0n, false)).toBe('lui $t0, 1 (4)');
  // AArch64 code is little-endian whatever the data order is; the caller passes the code order.
  expect(read('aarch64', 'c0 03 5f d6', 0n, true)).toBe('ret (4)');
});

test('computes targets from the full address', () => {
  expect(read('arm', '00 00 00 ea', 0x9000n)).toBe('b #0x9008 (4)');
  expect(read('aarch64', '01 00 00 94', 0xffff_ffff_8000_0000n)).toBe('bl #0xffffffff80000004 (4)');
});

test('ignores bytes after the instruction and returns no text for invalid opcodes', () => {
  expect(read('x86-32', 'c3 ff ff ff ff ff')).toBe('ret (1)');
  expect(read('arm', 'ff ff ff ff')).toBeUndefined();
  // The second query is answered from the cache.
  expect(read('arm', 'ff ff ff ff')).toBeUndefined();
  expect(read('arm', '60 00')).toBeUndefined();
  expect(
    disassembler.disassemble({ isa: 'arm', bytes: new Uint8Array(), littleEndian: true, address: 0n }),
  ).toBeUndefined();
});
