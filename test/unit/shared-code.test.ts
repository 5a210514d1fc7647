// Image code shared between threads: same bytes and states at the same addresses, and each file byte stored once.
import { expect, test } from 'vitest';
import { createCodeStates } from '../../electron/engine/image/code-states.ts';
import type { Image, Segment } from '../../electron/engine/image/image.ts';
import { createImages } from '../../electron/engine/image/images.ts';
import { imagesOfCode, shareCode } from '../../electron/engine/image/shared-code.ts';
import { createSymbolTable } from '../../electron/engine/image/symbols.ts';

const file = Uint8Array.from({ length: 4096 }, (_, i) => i % 251);

function image(segments: readonly Segment[]): Image {
  return {
    path: '',
    size: 0,
    digest: () => '',
    form: 'elf',
    shift: 0x1000n,
    segments,
    symbols: createSymbolTable([]),
    states: createCodeStates([{ address: 0x8000n, end: 0x8100n, state: 'thumb' }]),
    notices: [],
  };
}

const segment = (address: bigint, at: number, length: number): Segment => ({
  address,
  bytes: file.subarray(at, at + length),
  memory: BigInt(length + 16),
});

test('returns the bytes of each segment, even if segments share file bytes', () => {
  const own = createImages([image([segment(0x8000n, 1000, 200), segment(0x9000n, 1100, 300), segment(0xa000n, 0, 0)])]);
  const code = shareCode(own);
  const there = imagesOfCode(code);
  for (const address of [0x9000n, 0x90c7n, 0x90c8n, 0xa000n, 0xa12bn, 0xa12cn, 0xb000n]) {
    expect([address, there.bytesAt(address, 16)]).toEqual([address, own.bytesAt(address, 16)]);
  }
  expect(code[0]!.segments.map(({ bytes }) => bytes.buffer.constructor)).toEqual(Array(3).fill(SharedArrayBuffer));
  expect(code[0]!.segments[0]!.bytes.buffer.byteLength).toBe(400);
});

test('stores bytes shared by a thousand segments once', () => {
  const segments = Array.from({ length: 1000 }, (_, i) => segment(BigInt(i) << 32n, 0, file.length));
  const code = shareCode(createImages([image(segments)]));
  expect(new Set(code[0]!.segments.map(({ bytes }) => bytes.buffer)).size).toBe(1);
});
