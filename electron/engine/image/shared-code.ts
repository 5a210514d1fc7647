/**
 * The code of images as all threads can read it at once: bytes and mapping symbols in shared memory, so that handing it to another
 * thread costs next to nothing. Symbols and lines stay behind.
 */
import { createCodeStates, STATES, type CodeStates } from './code-states.ts';
import type { Image, Segment } from './image.ts';
import { createImages, type Images } from './images.ts';
import { createSymbolTable } from './symbols.ts';

/** By image that has bytes, in their order. */
export type SharedCode = readonly SharedImage[];

interface SharedImage extends Pick<Image, 'shift' | 'machine' | 'segments'> {
  /** Mapping symbols, by address; a state is its position in STATES. */
  readonly marks: {
    readonly addresses: BigUint64Array;
    readonly ends: BigUint64Array;
    readonly states: Uint8Array;
  };
}

export function shareCode({ list }: Images): SharedCode {
  return list
    .filter(({ segments }) => segments.length > 0)
    .map(({ shift, machine, segments, states }) => ({
      shift,
      ...(machine === undefined ? {} : { machine }),
      segments: segments.map((segment) => ({ ...segment, bytes: shared(segment) })),
      marks: sharedMarks(states),
    }));
}

/** What `shareCode` made, as images whose code can be asked for. */
export function imagesOfCode(code: SharedCode): Images {
  return createImages(
    code.map(({ shift, machine, segments, marks }) => ({
      path: '',
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

function shared({ bytes }: Segment): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

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
