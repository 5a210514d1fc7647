/**
 * One program image of any file kind: bytes at addresses, symbols, code states and source lines. All addresses are link-time addresses.
 * `images.ts` applies the load address.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { BAD_IMAGE } from '../../../shared/requests/failures.ts';
import type { ImagePlace } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { openSource } from '../platform/source.ts';
import { createCodeStates, type CodeStates } from './code-states.ts';
import { isElf, readElf, type SegmentFlags } from './elf.ts';
import { elfLines } from './elf-lines.ts';
import { elfSymbols } from './elf-symbols.ts';
import type { LineTable } from './line-table.ts';
import type { Machine } from './machine.ts';
import { readNm } from './nm.ts';
import { createSymbolTable, type SymbolTable } from './symbols.ts';

export interface Image {
  readonly path: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Returns the SHA-256 of the file, computed on first use. */
  readonly digest: () => string;
  readonly form: 'elf' | 'raw' | 'symbols';
  /** Added to every address, modulo 2^64. */
  readonly shift: bigint;
  /** Absent if the file does not name one. */
  readonly machine?: Machine;
  /** In file order. */
  readonly segments: readonly Segment[];
  readonly symbols: SymbolTable;
  readonly states: CodeStates;
  /** Returns the line table, read on first use; absent if the file has none. */
  readonly lines?: () => LineTable;
  /** Sentences about parts that could not be read. */
  readonly notices: readonly string[];
}

export interface Segment {
  readonly address: bigint;
  /** Bytes of the segment in the file. */
  readonly bytes: Uint8Array;
  /** Size in memory, in bytes; at least the number of bytes in the file. */
  readonly memory: bigint;
  /** Absent if the file does not state permissions. */
  readonly flags?: SegmentFlags;
}

/** Size limit of an image file, in bytes. */
const MOST_BYTES = 1024 * 1024 * 1024;
/** Size limit of a list of symbols, in bytes. */
const MOST_TEXT = 256 * 1024 * 1024;
/** Bytes examined to recognise a list; more than its longest line. */
const EXAMINED_BYTES = 16 * 1024;

/** Reads an image. Fails with BAD_IMAGE and a sentence, or as the source fails. */
export function openImage(place: ImagePlace): Result<Image> {
  const bytes = readWhole(place.path);
  if (!bytes.ok) return bytes;
  if (isElf(bytes.value)) return elfImage(bytes.value, place);
  if (place.base === undefined) return symbolImage(bytes.value, place);
  if (beginsAsList(bytes.value)) {
    return fail(
      BAD_IMAGE,
      `${place.path}: this is a list of symbols with their own addresses; leave out the base, or shift all symbols, as in ${place.path}@+0x1000`,
    );
  }
  return rawImage(bytes.value, place.path, BigInt(place.base));
}

/** True if the file starts like a list of symbols, which code never does by chance. */
function beginsAsList(bytes: Uint8Array): boolean {
  return readNm(Buffer.from(bytes.subarray(0, EXAMINED_BYTES)).toString('utf8')) !== undefined;
}

function readWhole(path: string): Result<Uint8Array> {
  const source = openSource(path);
  if (!source.ok && source.error.code === 'directory') {
    return fail(BAD_IMAGE, `${path}: this is a folder; choose a program image inside it`);
  }
  if (!source.ok) return source;
  const { size } = source.value;
  try {
    if (size === 0) return fail(BAD_IMAGE, `${path}: the image is empty; choose the program that ran`);
    if (size > MOST_BYTES) {
      return fail(
        BAD_IMAGE,
        `${path}: this image has ${size} bytes, and the limit is ${MOST_BYTES}; use a stripped image`,
      );
    }
    const bytes = new Uint8Array(size);
    const read = source.value.read(0, bytes, 0, size);
    return read.ok ? ok(bytes.subarray(0, read.value)) : read;
  } finally {
    source.value.close();
  }
}

function elfImage(bytes: Uint8Array, place: ImagePlace): Result<Image> {
  const { path } = place;
  const elf = readElf(bytes);
  if (!elf.ok) return fail(BAD_IMAGE, `${path}: ${elf.error.message}; choose the program that ran`);
  if (elf.value.kind === 'object') {
    return fail(BAD_IMAGE, `${path}: this is an object file without addresses; choose the linked program`);
  }
  const { loads, machine, problems } = elf.value;
  const lowest = loads.reduce<bigint | undefined>(
    (least, { address }) => (least === undefined || address < least ? address : least),
    undefined,
  );
  if (place.base !== undefined && lowest === undefined) {
    return fail(
      BAD_IMAGE,
      `${path}: this ELF file has no loaded segments, so it cannot be placed at ${place.base}; leave out the base`,
    );
  }
  const { symbols: found, marks, problems: others } = elfSymbols(elf.value);
  const symbols = createSymbolTable(found);
  const shift = place.base === undefined ? BigInt(place.shift ?? 0) : BigInt(place.base) - (lowest ?? 0n);
  const lines = elfLines(elf.value, symbols);
  return ok({
    path: resolve(path),
    size: bytes.length,
    digest: digestOf(bytes),
    form: 'elf',
    shift: BigInt.asUintN(64, shift),
    machine,
    segments: loads,
    symbols,
    states: createCodeStates(marks),
    ...(lines === undefined ? {} : { lines }),
    notices: [...problems, ...others].map((problem) => `${path}: ${problem}`),
  });
}

function rawImage(bytes: Uint8Array, path: string, base: bigint): Result<Image> {
  const memory = BigInt(bytes.length);
  if (base + memory > END_OF_ADDRESSES) {
    return fail(
      BAD_IMAGE,
      `${path}: at 0x${base.toString(16)} the image would extend past the highest address; check the base`,
    );
  }
  return ok({
    path: resolve(path),
    size: bytes.length,
    digest: digestOf(bytes),
    form: 'raw',
    shift: 0n,
    segments: [{ address: base, bytes, memory }],
    symbols: createSymbolTable([]),
    states: createCodeStates([]),
    notices: [],
  });
}

const END_OF_ADDRESSES = 1n << 64n;

function digestOf(bytes: Uint8Array): () => string {
  let digest: string | undefined;
  return () => (digest ??= createHash('sha256').update(bytes).digest('hex'));
}

function symbolImage(bytes: Uint8Array, place: ImagePlace): Result<Image> {
  const { path } = place;
  const list = bytes.length > MOST_TEXT ? undefined : readNm(Buffer.from(bytes.buffer).toString('utf8'));
  if (list === undefined) {
    return fail(
      BAD_IMAGE,
      `${path}: this is neither an ELF file nor a list of symbols as nm prints it; for raw bytes, add their base, as in ${path}@0x8000`,
    );
  }
  if (list.symbols.length > 1 && list.symbols.every(({ address }) => address === 0n)) {
    return fail(
      BAD_IMAGE,
      `${path}: all symbols are at address 0: the kernel hid them, or the program is not linked yet; list them as root, or list the linked program`,
    );
  }
  return ok({
    path: resolve(path),
    size: bytes.length,
    digest: digestOf(bytes),
    form: 'symbols',
    shift: BigInt(place.shift ?? 0),
    segments: [],
    symbols: createSymbolTable(list.symbols),
    states: createCodeStates([]),
    notices: list.otherLines === 0 ? [] : [`${path}: ${list.otherLines} of its lines are not symbols`],
  });
}
