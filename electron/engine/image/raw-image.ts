/** Reads any file as raw bytes at a base address. */
import { BAD_IMAGE } from '../../../shared/requests/failures.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { createCodeStates } from './code-states.ts';
import type { ImageContent } from './image.ts';
import { createSymbolTable } from './symbols.ts';

export function readRawImage(bytes: Uint8Array, path: string, base: bigint): Result<ImageContent> {
  const memory = BigInt(bytes.length);
  if (base + memory > END_OF_ADDRESSES) {
    return fail(
      BAD_IMAGE,
      `${path}: at 0x${base.toString(16)} the image would extend past the highest address; check the base`,
    );
  }
  return ok({
    form: 'raw',
    shift: 0n,
    segments: [{ address: base, bytes, memory }],
    symbols: createSymbolTable([]),
    states: createCodeStates([]),
    notices: [],
  });
}

const END_OF_ADDRESSES = 1n << 64n;
