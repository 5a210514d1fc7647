/** Reads lists of symbols as images without bytes. */
import { Buffer } from 'node:buffer';
import { BAD_IMAGE } from '../../../shared/requests/failures.ts';
import type { ImagePlace } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { createCodeStates } from './code-states.ts';
import type { ImageContent, ImageReader } from './image.ts';
import { readNm } from './nm.ts';
import { createSymbolTable } from './symbols.ts';

export const symbolList: ImageReader = { recognises, read };

/** Size limit of a list of symbols, in bytes. */
const MOST_TEXT = 256 * 1024 * 1024;
/** Bytes examined to recognise a list: more than the undefined symbols that `nm -n` lists first. */
const EXAMINED_BYTES = 1024 * 1024;

/** True if the file starts like a list of symbols, which code never does by chance. */
function recognises(bytes: Uint8Array): boolean {
  return readNm(textOf(bytes.subarray(0, EXAMINED_BYTES))) !== undefined;
}

function read(bytes: Uint8Array, place: ImagePlace): Result<ImageContent> {
  const { path } = place;
  if (place.base !== undefined) {
    return fail(
      BAD_IMAGE,
      `${path}: this is a list of symbols with their own addresses; leave out the base, or shift all symbols, as in ${path}@+0x1000`,
    );
  }
  if (bytes.length > MOST_TEXT) {
    return fail(
      BAD_IMAGE,
      `${path}: this list of symbols has ${bytes.length} bytes, and the limit is ${MOST_TEXT}; list fewer symbols`,
    );
  }
  const list = readNm(textOf(bytes));
  if (list === undefined) {
    return fail(
      BAD_IMAGE,
      `${path}: this begins like a list of symbols, but most of its lines are not symbols; list them with nm`,
    );
  }
  if (list.symbols.length > 1 && list.symbols.every(({ address }) => address === 0n)) {
    return fail(
      BAD_IMAGE,
      `${path}: all symbols are at address 0: the kernel hid them, or the program is not linked yet; list them as root, or list the linked program`,
    );
  }
  return ok({
    form: 'symbols',
    shift: BigInt(place.shift ?? 0),
    segments: [],
    symbols: createSymbolTable(list.symbols, place.rawNames),
    states: createCodeStates([]),
    notices: list.otherLines === 0 ? [] : [`${path}: ${list.otherLines} of its lines are not symbols`],
  });
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
