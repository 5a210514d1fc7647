/**
 * Reads the machine, segments and sections of an ELF file of either class and byte order.
 *
 * No header is trusted. Tables are read as far as the file reaches, parts outside the file are left out and named in `problems`, and no
 * allocation exceeds the size of the file. Only an unreadable file header fails.
 *
 * Layout: System V ABI, chapters 4 and 5 (`Elf32_Ehdr`, `Elf64_Ehdr` and the tables that they refer to).
 */
import { zstdDecompressSync, inflateSync } from 'node:zlib';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { createData, toPlace, type Data } from './data.ts';
import { machineOf, type Machine } from '../machine.ts';

export interface Elf {
  readonly data: Data;
  readonly machine: Machine;
  readonly kind: 'executable' | 'shared' | 'object' | 'core' | 'other';
  readonly entry: bigint;
  /** Loaded segments, in file order. */
  readonly loads: readonly Load[];
  readonly sections: readonly Section[];
  /** True if a dynamic linker completes the program in memory. */
  readonly isDynamic: boolean;
  /** Phrases about parts that could not be read. */
  readonly problems: readonly string[];
  /** Number of bytes that sections may still have when they are decompressed. */
  readonly room: { bytes: number };
}

export interface Load {
  readonly address: bigint;
  /** View of the bytes in the file. The segment can be longer in memory. */
  readonly bytes: Uint8Array;
  readonly memory: bigint;
  readonly flags: SegmentFlags;
  /** Offset of the bytes in the file. */
  readonly fileOffset: number;
  /** Address that a loader of bare machines copies the bytes to; absent if the file has only one address for them. */
  readonly physical?: bigint;
}

/** Permissions, such as `r-x`. */
export type SegmentFlags = `${'r' | '-'}${'w' | '-'}${'x' | '-'}`;

export interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly address: bigint;
  readonly offset: number;
  readonly size: bigint;
  readonly link: number;
  readonly entryBytes: number;
}

export const SECTION = { symbols: 2, strings: 3, dynamic: 6, noBits: 8, dynamicSymbols: 11 } as const;
export const SECTION_FLAG = { write: 1, alloc: 2, execute: 4, compressed: 0x800 } as const;

const MOST_SECTIONS = 100_000;
const MOST_LOADS = 1000;
/** Upper bounds on the size of a decompressed section, and of all of a file, in bytes. */
const MOST_EXPANDED = 256 * 1024 * 1024;
const MOST_EXPANDED_TOGETHER = 512 * 1024 * 1024;
/** Upper bound on the ratio of both sizes for sections above SMALL bytes. Compilers' output has ratios of 2 to 10, zeros of 1,000. */
const MOST_RATIO = 100;
const SMALL = 16 * 1024 * 1024;

export function isElf(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7f && bytes[1] === 0x45 && bytes[2] === 0x4c && bytes[3] === 0x46;
}

/** Reads an ELF file. The message of a failure is a phrase that the caller prefixes with the file name. */
export function readElf(bytes: Uint8Array): Result<Elf> {
  const [bits, order] = [bytes[4], bytes[5]];
  if (!isElf(bytes)) return fail('not-elf', 'this is not an ELF file (byte 0)');
  if ((bits !== 1 && bits !== 2) || (order !== 1 && order !== 2)) {
    return fail('damaged-image', 'its ELF header has an unknown class or byte order (byte 4)');
  }
  const data = createData(bytes, order === 1);
  const wide = bits === 2;
  if (!data.has(0, wide ? 64 : 52)) return fail('damaged-image', `its ELF header is truncated at byte ${data.length}`);
  const header = readHeader(data, wide);
  const problems: string[] = [];
  const sections = readSections(data, wide, header, problems);
  const found = readLoads(data, wide, header, sections, problems);
  const loads = isForDebuggers(sections) ? found.map((load) => ({ ...load, bytes: new Uint8Array() })) : found;
  return ok({
    data,
    machine: machineOf(data.u16(18), header.flags, wide ? 64 : 32, data.littleEndian),
    kind: KINDS[data.u16(16)] ?? 'other',
    entry: header.entry,
    loads,
    sections,
    isDynamic: isDynamic(data, wide, header, sections),
    problems,
    room: { bytes: MOST_EXPANDED_TOGETHER },
  });
}

/** Returns the content of a section, decompressed if necessary. The message of a failure is a phrase. */
export function sectionBytes({ data, machine, room }: Elf, section: Section): Result<Uint8Array> {
  const size = toPlace(section.size);
  if (section.type === SECTION.noBits) return ok(new Uint8Array());
  if (!data.has(section.offset, size)) return fail('damaged-image', `${section.name} is outside the file`);
  const stored = data.part(section.offset, size);
  if ((section.flags & SECTION_FLAG.compressed) === 0) {
    return isOldCompressed(section, stored) ? expandOld(section.name, stored, room) : ok(stored);
  }
  const wide = machine.bits === 64;
  const head = createData(stored, data.littleEndian);
  if (!head.has(0, wide ? 24 : 12)) return fail('damaged-image', `${section.name} is truncated`);
  const expanded = toPlace(head.word(wide ? 8 : 4, wide ? 8 : 4));
  return expand(section.name, head.u32(0), stored.subarray(wide ? 24 : 12), expanded, room);
}

/** True for the compression that predates SHF_COMPRESSED: a name such as `.zdebug_line`, and content that starts with `ZLIB` and a size. */
function isOldCompressed({ name }: Section, stored: Uint8Array): boolean {
  return name.startsWith('.zdebug') && OLD_MARK.every((byte, i) => stored[i] === byte);
}

function expandOld(name: string, stored: Uint8Array, room: Elf['room']): Result<Uint8Array> {
  const head = createData(stored, false);
  if (!head.has(4, 8)) return fail('damaged-image', `${name} is truncated`);
  return expand(name, ZLIB, stored.subarray(12), toPlace(head.u64(4)), room);
}

const OLD_MARK = [0x5a, 0x4c, 0x49, 0x42];
const ZLIB = 1;
const ZSTD = 2;

function expand(name: string, how: number, bytes: Uint8Array, size: number, room: Elf['room']): Result<Uint8Array> {
  if (how !== ZLIB && how !== ZSTD) return fail('damaged-image', `${name} uses an unknown compression`);
  if (size > MOST_EXPANDED) return fail('too-large', `${name} would exceed ${MOST_EXPANDED} bytes when decompressed`);
  if (size > SMALL && size > MOST_RATIO * bytes.length) {
    return fail(
      'too-large',
      `${name} would have ${size} bytes when decompressed, more than ${MOST_RATIO} times its ${bytes.length} bytes in the file`,
    );
  }
  if (size > room.bytes) {
    return fail(
      'too-large',
      `with ${name}, its decompressed sections would exceed ${MOST_EXPANDED_TOGETHER} bytes together`,
    );
  }
  room.bytes -= size;
  try {
    // One chunk for all of the content is never copied.
    const most = { maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, size) };
    return ok(how === ZLIB ? inflateSync(bytes, most) : zstdDecompressSync(bytes, most));
  } catch (error) {
    return fail(
      'damaged-image',
      `${name} cannot be decompressed (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

const KINDS: Readonly<Record<number, Elf['kind']>> = { 1: 'object', 2: 'executable', 3: 'shared', 4: 'core' };

interface Header {
  readonly entry: bigint;
  readonly flags: number;
  readonly programHeaders: Table;
  readonly sectionHeaders: Table;
  readonly namesIndex: number;
}

interface Table {
  readonly offset: number;
  readonly entryBytes: number;
  readonly count: number;
}

function readHeader(data: Data, wide: boolean): Header {
  const word = wide ? 8 : 4;
  const rest = 24 + 3 * word;
  return {
    entry: data.word(24, word),
    flags: data.u32(rest),
    programHeaders: table(data, 24 + word, word, rest + 6),
    sectionHeaders: table(data, 24 + 2 * word, word, rest + 10),
    namesIndex: data.u16(rest + 14),
  };
}

function table(data: Data, offsetAt: number, word: number, entryAt: number): Table {
  return {
    offset: toPlace(data.word(offsetAt, word)),
    entryBytes: data.u16(entryAt),
    count: data.u16(entryAt + 2),
  };
}

/** Marks a count or index that does not fit the file header and is stored in the first section header (`PN_XNUM`, `SHN_XINDEX`). */
const IN_FIRST_SECTION = 0xffff;

function readSections(
  data: Data,
  wide: boolean,
  { sectionHeaders, namesIndex }: Header,
  problems: string[],
): Section[] {
  const { offset, entryBytes } = sectionHeaders;
  if (offset === 0) return [];
  const least = wide ? 64 : 40;
  if (entryBytes < least || !data.has(offset, least)) {
    problems.push('its section headers are outside the file');
    return [];
  }
  const first = readSection(data, wide, offset);
  const declared = sectionHeaders.count === 0 ? toPlace(first.size) : sectionHeaders.count;
  const count = entriesWithin(data, { ...sectionHeaders, count: declared }, MOST_SECTIONS);
  if (count < declared) problems.push(`only ${count} of its section headers can be read`);
  const sections = Array.from({ length: count }, (_, i) => readSection(data, wide, offset + i * entryBytes));
  const names = sections[namesIndex === IN_FIRST_SECTION ? first.link : namesIndex];
  return sections.map((section) => ({ ...section, name: nameOf(data, names, section.nameAt) }));
}

/** Number of entries that are completely inside the file. */
function entriesWithin(data: Data, { offset, entryBytes, count }: Table, most: number): number {
  return Math.max(0, Math.min(count, most, Math.floor((data.length - offset) / entryBytes)));
}

function nameOf(data: Data, names: Section | undefined, at: number): string {
  return names?.type === SECTION.strings && at < toPlace(names.size)
    ? data.name(names.offset + at, SECTION_NAME_BYTES)
    : '';
}

const SECTION_NAME_BYTES = 256;

interface UnnamedSection extends Section {
  readonly nameAt: number;
}

function readSection(data: Data, wide: boolean, at: number): UnnamedSection {
  const word = wide ? 8 : 4;
  return {
    name: '',
    nameAt: data.u32(at),
    type: data.u32(at + 4),
    // All flags used here are in the lower half of the 64-bit field.
    flags: data.littleEndian || !wide ? data.u32(at + 8) : data.u32(at + 12),
    address: data.word(at + 8 + word, word),
    offset: toPlace(data.word(at + 8 + 2 * word, word)),
    size: data.word(at + 8 + 3 * word, word),
    link: data.u32(at + 8 + 4 * word),
    entryBytes: toPlace(data.word(at + 16 + 5 * word, word)),
  };
}

const LOADED = 1;
const DYNAMIC = 2;

/** Returns the segments of the program headers; without program headers, the sections that occupy memory. */
function readLoads(
  data: Data,
  wide: boolean,
  { programHeaders }: Header,
  sections: readonly Section[],
  problems: string[],
): Load[] {
  const declared = programHeaders.count === IN_FIRST_SECTION ? Number.POSITIVE_INFINITY : programHeaders.count;
  if (programHeaders.offset === 0 || declared === 0) {
    const inMemory = sections.filter(isInMemory);
    if (inMemory.length > MOST_LOADS) problems.push(`only the first ${MOST_LOADS} of its sections are loaded`);
    return inMemory.slice(0, MOST_LOADS).flatMap(fromSection);
  }
  const { offset, entryBytes } = programHeaders;
  if (entryBytes < (wide ? 56 : 32)) {
    problems.push('its program headers cannot be read');
    return [];
  }
  const count = entriesWithin(data, { offset, entryBytes, count: declared }, MOST_LOADS);
  if (count < declared && declared !== Number.POSITIVE_INFINITY) {
    problems.push(`only ${count} of its ${declared} program headers can be read`);
  }
  return Array.from({ length: count }, (_, i) => offset + i * entryBytes).flatMap((at) => {
    if (data.u32(at) !== LOADED) return [];
    const word = wide ? 8 : 4;
    const start = wide ? at + 8 : at + 4;
    const flags = data.u32(wide ? at + 4 : at + 24);
    const place = toPlace(data.word(start, word));
    const bytes = toPlace(data.word(start + 3 * word, word));
    const physical = data.word(start + 2 * word, word);
    const loads = load(
      place,
      data.word(start + word, word),
      bytes,
      data.word(start + 4 * word, word),
      permissions(flags),
    );
    return loads.map((each) => ({ ...each, physical }));
  });

  function fromSection(section: Section): Load[] {
    const { address, offset: place, size, flags, type } = section;
    const held = type === SECTION.noBits ? 0 : toPlace(size);
    const may = ((flags & SECTION_FLAG.write) === 0 ? 4 : 6) | ((flags & SECTION_FLAG.execute) === 0 ? 0 : 1);
    return load(place, address, held, size, permissions(may));
  }

  function load(place: number, address: bigint, held: number, memory: bigint, flags: SegmentFlags): Load[] {
    if (held === 0 && memory === 0n) return [];
    const whole = held === 0 || data.has(place, held);
    if (!whole) problems.push(`the segment at 0x${address.toString(16)} extends past the end of the file`);
    const available = Math.max(0, Math.min(held, data.length - place));
    const bytes = data.part(held === 0 || available === 0 ? 0 : place, available);
    return [
      {
        address,
        bytes,
        fileOffset: place,
        memory: memory < BigInt(bytes.length) ? BigInt(bytes.length) : memory,
        flags,
      },
    ];
  }
}

function isDynamic(data: Data, wide: boolean, { programHeaders }: Header, sections: readonly Section[]): boolean {
  const { offset, entryBytes } = programHeaders;
  if (sections.some(({ type }) => type === SECTION.dynamic)) return true;
  if (offset === 0 || entryBytes < (wide ? 56 : 32)) return false;
  const count = entriesWithin(data, programHeaders, MOST_LOADS);
  return Array.from({ length: count }, (_, i) => data.u32(offset + i * entryBytes)).includes(DYNAMIC);
}

/**
 * True for a debug file: it has code sections, but none of them has bytes, and its program headers refer to bytes that are absent. A
 * program can have single code sections without bytes, for code that it copies at run time (NOLOAD in a linker script).
 */
function isForDebuggers(sections: readonly Section[]): boolean {
  const code = sections.filter(({ flags }) => (flags & SECTION_FLAG.execute) !== 0);
  return code.length > 0 && code.every(({ type }) => type === SECTION.noBits);
}

function isInMemory({ flags }: Section): boolean {
  return (flags & SECTION_FLAG.alloc) !== 0;
}

/** Formats `PF_X` (1), `PF_W` (2) and `PF_R` (4). */
function permissions(flags: number): SegmentFlags {
  return `${(flags & 4) === 0 ? '-' : 'r'}${(flags & 2) === 0 ? '-' : 'w'}${(flags & 1) === 0 ? '-' : 'x'}`;
}
