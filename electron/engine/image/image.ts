/**
 * One program image: bytes at addresses, symbols, what its code is, whichever kind of file they come from. All addresses are
 * those that the file was linked for; `images.ts` knows where it was loaded.
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
  /** Bytes of the file as it was read. */
  readonly size: number;
  /** SHA-256 of these, computed when it is first asked for. */
  readonly digest: () => string;
  readonly form: 'elf' | 'raw' | 'symbols';
  /** What is added to its addresses, modulo 2^64. */
  readonly shift: bigint;
  /** Absent where the file does not tell. */
  readonly machine?: Machine;
  /** In the order of the file. */
  readonly segments: readonly Segment[];
  readonly symbols: SymbolTable;
  readonly states: CodeStates;
  /** Read when it is first asked for; absent where the file has none. */
  readonly lines?: () => LineTable;
  /** What could not be read, in sentences. */
  readonly notices: readonly string[];
}

export interface Segment {
  readonly address: bigint;
  /** What the file has of it. */
  readonly bytes: Uint8Array;
  /** Bytes in memory, at least as many. */
  readonly memory: bigint;
  /** Absent where the file does not tell. */
  readonly flags?: SegmentFlags;
}

/** Files of more bytes are not read. */
const MOST_BYTES = 1024 * 1024 * 1024;
/** Longer lists of symbols are not read. */
const MOST_TEXT = 256 * 1024 * 1024;
/** More than the longest line of a list. */
const LOOKED_BYTES = 16 * 1024;

export function openImage(place: ImagePlace): Result<Image> {
  const bytes = readWhole(place.path);
  if (!bytes.ok) return bytes;
  if (isElf(bytes.value)) return elfImage(bytes.value, place);
  if (place.base === undefined) return symbolImage(bytes.value, place);
  if (beginsAsList(bytes.value)) {
    return fail(
      BAD_IMAGE,
      `${place.path}: this is a list of symbols, each with its own address; leave the base out, or move all of them, as in ${place.path}@+0x1000`,
    );
  }
  return rawImage(bytes.value, place.path, BigInt(place.base));
}

/** Whether it would be read as a list of symbols, as no code is by chance. */
function beginsAsList(bytes: Uint8Array): boolean {
  return readNm(Buffer.from(bytes.subarray(0, LOOKED_BYTES)).toString('utf8')) !== undefined;
}

function readWhole(path: string): Result<Uint8Array> {
  const source = openSource(path);
  if (!source.ok && source.error.code === 'directory') {
    return fail(BAD_IMAGE, `${path}: this is a folder; choose the program that ran in it`);
  }
  if (!source.ok) return source;
  const { size } = source.value;
  try {
    if (size === 0) return fail(BAD_IMAGE, `${path}: the image is empty; give the program that ran`);
    if (size > MOST_BYTES) {
      return fail(BAD_IMAGE, `${path}: an image may have ${MOST_BYTES} bytes, and this one has ${size}; strip it`);
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
  if (!elf.ok) return fail(BAD_IMAGE, `${path}: ${elf.error.message}; give the program that ran`);
  if (elf.value.kind === 'object') {
    return fail(BAD_IMAGE, `${path}: this is an object file, which has no addresses yet; give the linked program`);
  }
  const { loads, machine, problems } = elf.value;
  const lowest = loads.reduce<bigint | undefined>(
    (least, { address }) => (least === undefined || address < least ? address : least),
    undefined,
  );
  if (place.base !== undefined && lowest === undefined) {
    return fail(
      BAD_IMAGE,
      `${path}: nothing in this ELF file is loaded, so it cannot lie at ${place.base}; leave that out`,
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
      `${path}: at 0x${base.toString(16)} it would reach beyond the highest address; check the base`,
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
      `${path}: this is neither an ELF file nor a list of symbols as nm prints it; for raw bytes say where they lie, as in ${path}@0x8000`,
    );
  }
  if (list.symbols.length > 1 && list.symbols.every(({ address }) => address === 0n)) {
    return fail(
      BAD_IMAGE,
      `${path}: all its symbols are at address 0, as where a kernel hides its own or nothing is linked yet; list them as root, or those of the linked program`,
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
    notices: list.otherLines === 0 ? [] : [`${path}: ${list.otherLines} of its lines are no symbols`],
  });
}
