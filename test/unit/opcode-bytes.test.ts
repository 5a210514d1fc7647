/** Opcodes as the memory bytes that they were fetched from, worked out by hand from the architecture's encodings. */
import { expect, test } from 'vitest';
import { opcodeBytes } from '../../electron/engine/queries/records/opcode-bytes.ts';

test.each([
  // ldr r0, [pc, #0x60]: the condition 1110 lies in the highest byte.
  { opcode: '0xe59f0060', isa: 'A', size: 4, endian: 'little', bytes: [0x60, 0x00, 0x9f, 0xe5] },
  { opcode: '0xe59f0060', isa: 'A', size: 4, endian: 'big', bytes: [0xe5, 0x9f, 0x00, 0x60] },
  // andeq r0, r0, r0
  { opcode: '0x0', isa: 'A', size: 4, endian: 'little', bytes: [0, 0, 0, 0] },
  // push {r4, lr}
  { opcode: '0xb510', isa: 'T', size: 2, endian: 'little', bytes: [0x10, 0xb5] },
  { opcode: '0xb510', isa: undefined, size: 2, endian: 'big', bytes: [0xb5, 0x10] },
  // bl to itself: the halfword f7ff is fetched first.
  { opcode: '0xf7fffffe', isa: 'T', size: 4, endian: 'little', bytes: [0xff, 0xf7, 0xfe, 0xff] },
  { opcode: '0xf7fffffe', isa: 'T', size: 4, endian: 'big', bytes: [0xf7, 0xff, 0xff, 0xfe] },
  // movz x0, #16, lsl #16
  { opcode: '0xd2a00200', isa: 'O', size: 4, endian: 'big', bytes: [0x00, 0x02, 0xa0, 0xd2] },
] as const)('returns the bytes of $opcode of $isa, $endian', ({ opcode, isa, size, endian, bytes }) => {
  const proved = opcodeBytes({ opcode, size, ...(isa === undefined ? {} : { isa }) }, endian);
  expect([...(proved ?? [])]).toEqual(bytes);
});

test.each([
  ['no opcode', { size: 4, isa: 'A' }],
  ['an opcode of an unknown instruction set', { opcode: '0xe59f0060', size: 4 }],
  ['Java', { opcode: '0x2a', size: 1, isa: 'J' }],
  ['an odd number of digits', { opcode: '0x12345', size: 3, isa: 'A', flags: ['odd-opcode'] }],
] as const)('proves no bytes for %s', (_, record) => {
  expect(opcodeBytes(record, 'little')).toBeUndefined();
});
