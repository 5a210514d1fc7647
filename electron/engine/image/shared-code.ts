/**
 * The code of images in shared memory: bytes and mapping symbols that all threads can read. Passing it to a thread copies nothing. Symbols
 * and source lines are not included.
 */
import { assert } from '../../../shared/base/result.ts';
import { codeStatesOf, type StateColumns } from './code-states.ts';
import type { Image, Segment } from './image.ts';
import { createImages, type Images } from './images.ts';
import { createSymbolTable } from './symbols.ts';

/** One entry per image with bytes, in order. */
export type SharedCode = readonly SharedImage[];

interface SharedImage extends Pick<Image, 'shift' | 'machine' | 'segments'> {
  /** Mapping symbols. */
  readonly states: StateColumns;
}

/** Returns the code of images in shared memory. Segments that are not there yet are copied. */
export function shareCode({ list }: Images): SharedCode {
  return list
    .filter(({ segments }) => segments.length > 0)
    .map(({ shift, machine, segments, states }) => ({
      shift,
      ...(machine === undefined ? {} : { machine }),
      segments: shared(segments),
      states: states.columns,
    }));
}

/** Rebuilds images from the result of `shareCode`. They answer only questions about code. */
export function imagesOfCode(code: SharedCode): Images {
  return createImages(
    code.map(({ shift, machine, segments, states }) => ({
      path: '',
      size: 0,
      digest: () => '',
      form: 'raw',
      shift,
      ...(machine === undefined ? {} : { machine }),
      segments,
      symbols: createSymbolTable([]),
      states: codeStatesOf(states),
      notices: [],
    })),
  );
}

/** Copies segments into shared memory. Overlapping segments share bytes of their file, so their union is copied once. */
function shared(segments: readonly Segment[]): readonly Segment[] {
  const held = segments.filter(({ bytes }) => bytes.length > 0);
  const [file] = held.map(({ bytes }) => bytes.buffer);
  assert(
    held.every(({ bytes }) => bytes.buffer === file),
    'all segments of an image are views of one file',
  );
  if (file instanceof SharedArrayBuffer) return segments;
  const start = held.reduce((least, { bytes }) => Math.min(least, bytes.byteOffset), Number.POSITIVE_INFINITY);
  const end = held.reduce((most, { bytes }) => Math.max(most, bytes.byteOffset + bytes.length), 0);
  const copy = new Uint8Array(new SharedArrayBuffer(Math.max(0, end - start)));
  if (file !== undefined) copy.set(new Uint8Array(file, start, end - start));
  return segments.map((segment) => {
    const { byteOffset, length } = segment.bytes;
    return { ...segment, bytes: length === 0 ? EMPTY : copy.subarray(byteOffset - start, byteOffset - start + length) };
  });
}

const EMPTY = new Uint8Array(new SharedArrayBuffer(0));
