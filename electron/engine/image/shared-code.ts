/**
 * The code of images in shared memory: bytes and mapping symbols that all threads can read. Passing it to a thread copies nothing. Symbols
 * and source lines are not included.
 */
import { assert } from '../../../shared/base/result.ts';
import { createCodeStates, STATES, type CodeStates } from './code-states.ts';
import type { Image, Segment } from './image.ts';
import { createImages, type Images } from './images.ts';
import { createSymbolTable } from './symbols.ts';

/** One entry per image with bytes, in order. */
export type SharedCode = readonly SharedImage[];

interface SharedImage extends Pick<Image, 'shift' | 'machine' | 'segments'> {
  /** Mapping symbols, by address. A state is its index in STATES. */
  readonly marks: {
    readonly addresses: BigUint64Array;
    readonly ends: BigUint64Array;
    readonly states: Uint8Array;
  };
}

/** Copies the code of images into shared memory. */
export function shareCode({ list }: Images): SharedCode {
  return list
    .filter(({ segments }) => segments.length > 0)
    .map(({ shift, machine, segments, states }) => ({
      shift,
      ...(machine === undefined ? {} : { machine }),
      segments: shared(segments),
      marks: sharedMarks(states),
    }));
}

/** Rebuilds images from the result of `shareCode`. They answer only questions about code. */
export function imagesOfCode(code: SharedCode): Images {
  return createImages(
    code.map(({ shift, machine, segments, marks }) => ({
      path: '',
      size: 0,
      digest: () => '',
      form: 'raw',
      shift,
      ...(machine === undefined ? {} : { machine }),
      segments,
      symbols: createSymbolTable([]),
      states: createCodeStates(
        Array.from(marks.states, (state, i) => ({
          address: marks.addresses[i]!,
          end: marks.ends[i]!,
          state: STATES[state]!,
        })),
      ),
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

function sharedMarks({ marks }: CodeStates): SharedImage['marks'] {
  const room = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(marks.length * bytes);
  const made = {
    addresses: new BigUint64Array(room(8)),
    ends: new BigUint64Array(room(8)),
    states: new Uint8Array(room(1)),
  };
  marks.forEach(({ address, end, state }, i) => {
    made.addresses[i] = address;
    made.ends[i] = end;
    made.states[i] = STATES.indexOf(state);
  });
  return made;
}
