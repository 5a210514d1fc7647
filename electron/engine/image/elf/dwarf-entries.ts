/**
 * Reads the entries of `.debug_info` (DWARF 2 to 5) one after the other, with the attributes that describe variables and types.
 *
 * Nothing in the file is trusted: each offset is checked, unknown forms end a unit, and the number of entries is limited.
 *
 * DWARF 5, sections 7.5.1 (unit headers), 7.5.3 (abbreviations), 7.5.4 to 7.5.6 (attributes and forms).
 */
import { createCursor, type Cursor } from './cursor.ts';
import type { Data } from './data.ts';

export interface InfoSections {
  /** `.debug_info`, followed by `.debug_types`. */
  readonly info: Data;
  /** Offset of `.debug_types` in `info`; absent if the file has none. */
  readonly typesAt?: number;
  readonly abbreviations: Data;
  readonly strings?: Data;
  readonly lineStrings?: Data;
  readonly stringOffsets?: Data;
  readonly addresses?: Data;
}

export const TAG = {
  array: 0x01,
  class: 0x02,
  enumeration: 0x04,
  parameter: 0x05,
  block: 0x0b,
  member: 0x0d,
  pointer: 0x0f,
  reference: 0x10,
  unit: 0x11,
  structure: 0x13,
  subroutine: 0x15,
  typedef: 0x16,
  union: 0x17,
  inheritance: 0x1c,
  subrange: 0x21,
  base: 0x24,
  constant: 0x26,
  enumerator: 0x28,
  subprogram: 0x2e,
  variable: 0x34,
  volatile: 0x35,
  restrict: 0x37,
  namespace: 0x39,
  unspecified: 0x3b,
  rvalueReference: 0x42,
  atomic: 0x47,
} as const;

/** A value of an attribute: a number, a text, or the bytes of an expression. */
export interface Value {
  readonly number?: bigint;
  readonly text?: string;
  readonly block?: { readonly at: number; readonly bytes: number };
  /** The attribute refers to a list of locations. */
  readonly isList?: boolean;
  /** The number is an address. */
  readonly isAddress?: boolean;
  /** Index in the unit's table of range lists. */
  readonly index?: number;
}

/** A debugging information entry. Offsets are those in `InfoSections.info`. */
export interface Entry {
  readonly at: number;
  readonly tag: number;
  readonly depth: number;
  readonly unit: Unit;
  readonly values: ReadonlyMap<number, Value>;
}

export interface Unit {
  readonly start: number;
  readonly end: number;
  readonly version: number;
  /** Sizes of offsets and of addresses in bytes. */
  readonly word: 4 | 8;
  readonly addressBytes: number;
  readonly abbreviationsAt: number;
  readonly entriesAt: number;
  /** Id of a unit whose other part is in another file (DWARF 5); before, it is an attribute. */
  readonly id?: bigint;
  /** Signature of a type unit and the offset of its type; absent for other units. */
  readonly signed?: { readonly signature: bigint; readonly at: number };
  stringOffsetsAt: number;
  addressesAt: number;
}

/** Attributes that are kept. Others are skipped. */
export const ATTRIBUTE = {
  location: 0x02,
  name: 0x03,
  byteSize: 0x0b,
  bitOffset: 0x0c,
  bitSize: 0x0d,
  directory: 0x1b,
  constant: 0x1c,
  upperBound: 0x2f,
  abstractOrigin: 0x31,
  count: 0x37,
  memberLocation: 0x38,
  declaration: 0x3c,
  encoding: 0x3e,
  specification: 0x47,
  type: 0x49,
  dataBitOffset: 0x6b,
  stringOffsets: 0x72,
  addresses: 0x73,
  splitName: 0x76,
  gnuSplitName: 0x2130,
  gnuSplitId: 0x2131,
  gnuRanges: 0x2132,
  gnuAddresses: 0x2133,
} as const;
const KEPT: ReadonlySet<number> = new Set(Object.values(ATTRIBUTE));

/** Reads the header of the unit at an offset; undefined if it is not sound. `version` 0 marks a unit that is skipped. */
export function readUnit({ info, typesAt = info.length }: InfoSections, at: number): Unit | undefined {
  const cursor = createCursor(info, at, info.length);
  const short = cursor.place(4);
  const word = short === 0xffff_ffff ? 8 : 4;
  const length = word === 8 ? cursor.place(8) : short;
  const end = cursor.at + length;
  if (cursor.broken || end > info.length || length === 0) return undefined;
  const version = cursor.u16();
  const kind = version >= 5 ? cursor.u8() : 1;
  let addressBytes = version >= 5 ? cursor.u8() : 0;
  const abbreviationsAt = cursor.place(word);
  if (version < 5) addressBytes = cursor.u8();
  // Type units (2, 6; in DWARF 4 the units of `.debug_types`), and units with an id of a split file (4, 5).
  const isSigned = kind === 2 || kind === 6 || at >= typesAt;
  const hasId = kind === 4 || kind === 5;
  const signature = isSigned || hasId ? cursor.word(8) : 0n;
  const typeAt = isSigned ? at + cursor.place(word) : 0;
  const isSound =
    !isBroken(cursor) && version >= 2 && version <= 5 && [2, 4, 8].includes(addressBytes) && cursor.at <= end;
  return {
    start: at,
    end,
    version: isSound ? version : 0,
    word,
    addressBytes,
    abbreviationsAt,
    entriesAt: cursor.at,
    ...(hasId && { id: signature }),
    ...(isSigned && { signed: { signature, at: typeAt } }),
    // The lists have headers of 8 or 16 bytes.
    stringOffsetsAt: 2 * word,
    addressesAt: 2 * word,
  };
}

/** The property, which reads change. */
function isBroken({ broken }: Cursor): boolean {
  return broken;
}

interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  /** Attribute, form, and constant of DW_FORM_implicit_const, one after the other. */
  readonly attributes: readonly number[];
}
export type Abbreviations = ReadonlyMap<number, Abbreviation>;

const MOST_ABBREVIATIONS = 100_000;
/** Forms of values (DWARF 5, table 7.6), and those of GNU for split and supplementary files. */
const FORM = {
  addr: 0x01,
  block2: 0x03,
  block4: 0x04,
  data2: 0x05,
  data4: 0x06,
  data8: 0x07,
  string: 0x08,
  block: 0x09,
  block1: 0x0a,
  data1: 0x0b,
  flag: 0x0c,
  sdata: 0x0d,
  strp: 0x0e,
  udata: 0x0f,
  refAddr: 0x10,
  ref1: 0x11,
  ref2: 0x12,
  ref4: 0x13,
  ref8: 0x14,
  refUdata: 0x15,
  secOffset: 0x17,
  exprloc: 0x18,
  flagPresent: 0x19,
  strx: 0x1a,
  addrx: 0x1b,
  refSup4: 0x1c,
  strpSup: 0x1d,
  data16: 0x1e,
  lineStrp: 0x1f,
  refSig8: 0x20,
  implicitConst: 0x21,
  loclistx: 0x22,
  rnglistx: 0x23,
  refSup8: 0x24,
  strx1: 0x25,
  strx2: 0x26,
  strx3: 0x27,
  strx4: 0x28,
  addrx1: 0x29,
  addrx2: 0x2a,
  addrx3: 0x2b,
  addrx4: 0x2c,
  gnuAddrIndex: 0x1f01,
  gnuStrIndex: 0x1f02,
  gnuRefAlt: 0x1f20,
  gnuStrpAlt: 0x1f21,
} as const;

/** Reads the abbreviations at an offset, as far as they are sound. */
export function readAbbreviations({ abbreviations }: InfoSections, at: number): Abbreviations {
  const found = new Map<number, Abbreviation>();
  const cursor = createCursor(abbreviations, Math.min(at, abbreviations.length), abbreviations.length);
  while (found.size < MOST_ABBREVIATIONS) {
    const code = cursor.unsigned();
    if (code === 0) break;
    const tag = cursor.unsigned();
    const hasChildren = cursor.u8() !== 0;
    const attributes: number[] = [];
    for (;;) {
      const name = cursor.unsigned();
      const form = cursor.unsigned();
      const constant = form === FORM.implicitConst ? cursor.signed() : 0;
      if (name === 0 && form === 0) break;
      attributes.push(name, form, constant);
    }
    // Past the end, everything reads as zero.
    if (cursor.broken) break;
    found.set(code, { tag, hasChildren, attributes });
  }
  return found;
}

/**
 * Visits the entries of a unit in order, with the attributes in `kept`, by default those of variables and types. Returns false if one cannot be
 * read: the rest of the unit is then left out.
 */
export function visitEntries(
  sections: InfoSections,
  unit: Unit,
  abbreviations: Abbreviations,
  visit: (entry: Entry) => boolean,
  kept: ReadonlySet<number> = KEPT,
): boolean {
  const cursor = createCursor(sections.info, unit.entriesAt, unit.end);
  let depth = 0;
  while (cursor.at < unit.end) {
    const at = cursor.at;
    const code = cursor.unsigned();
    if (code === 0) {
      depth -= 1;
      // Padding may follow the last entry.
      if (depth <= 0) return true;
      continue;
    }
    const abbreviation = abbreviations.get(code);
    if (abbreviation === undefined) return false;
    const values = new Map<number, Value>();
    const { attributes } = abbreviation;
    for (let i = 0; i < attributes.length; i += 3) {
      const value = readValue(sections, cursor, unit, attributes[i + 1]!, attributes[i + 2]!, kept.has(attributes[i]!));
      if (value === undefined || cursor.broken) return false;
      if (kept.has(attributes[i]!)) values.set(attributes[i]!, value);
    }
    if (at === unit.entriesAt) setBases(unit, values);
    if (!visit({ at, tag: abbreviation.tag, depth, unit, values })) return true;
    if (abbreviation.hasChildren) depth += 1;
    else if (depth === 0) return true;
  }
  return !cursor.broken;
}

function setBases(unit: Unit, values: ReadonlyMap<number, Value>): void {
  const strings = values.get(ATTRIBUTE.stringOffsets)?.number;
  const addresses = (values.get(ATTRIBUTE.addresses) ?? values.get(ATTRIBUTE.gnuAddresses))?.number;
  if (strings !== undefined) unit.stringOffsetsAt = Number(strings);
  if (addresses !== undefined) unit.addressesAt = Number(addresses);
}

const NOTHING: Value = {};

/** Reads a value in a form (DWARF 5, 7.5.6); undefined for a form that is not known. `isKept`: the value is wanted. */
function readValue(
  sections: InfoSections,
  cursor: Cursor,
  unit: Unit,
  form: number,
  constant: number,
  isKept: boolean,
): Value | undefined {
  const { word, addressBytes, start, version } = unit;
  switch (form) {
    case FORM.addr:
      return { number: cursor.word(addressBytes), isAddress: true };
    case FORM.block2:
      return block(cursor.u16());
    case FORM.block4:
      return block(cursor.place(4));
    case FORM.block:
    case FORM.exprloc:
      return block(cursor.unsigned());
    case FORM.block1:
      return block(cursor.u8());
    case FORM.data1:
    case FORM.flag:
      return { number: BigInt(cursor.u8()) };
    case FORM.data2:
      return { number: BigInt(cursor.u16()) };
    // In DWARF 2 and 3, numbers of 4 and 8 bytes are also offsets of lists.
    case FORM.data4:
      return { number: cursor.word(4), isList: version < 4 };
    case FORM.data8:
      return { number: cursor.word(8), isList: version < 4 };
    case FORM.string:
      return textAt(sections.info, cursor.name());
    case FORM.sdata:
      return whole(cursor.signed());
    case FORM.udata:
      return whole(cursor.unsigned());
    case FORM.strp:
      return textAt(sections.strings, cursor.place(word));
    case FORM.lineStrp:
      return textAt(sections.lineStrings, cursor.place(word));
    case FORM.refAddr:
      return { number: cursor.word(version === 2 ? addressBytes : word) };
    case FORM.ref1:
      return { number: BigInt(start + cursor.u8()) };
    case FORM.ref2:
      return { number: BigInt(start + cursor.u16()) };
    case FORM.ref4:
      return { number: BigInt(start) + cursor.word(4) };
    case FORM.ref8:
      return { number: BigInt(start) + cursor.word(8) };
    case FORM.refUdata:
      return whole(start + cursor.unsigned());
    case FORM.secOffset:
      return { number: cursor.word(word), isList: true };
    case FORM.flagPresent:
      return { number: 1n };
    case FORM.implicitConst:
      return whole(constant);
    case FORM.refSig8:
      // Below 0, because a signature is no offset.
      return { number: -1n - cursor.word(8) };
    case FORM.data16:
      cursor.skip(16);
      return NOTHING;
    case FORM.loclistx:
      cursor.unsigned();
      return { isList: true };
    case FORM.rnglistx:
      return { index: cursor.unsigned() };
    case FORM.strx:
    case FORM.gnuStrIndex:
      return indexedText(cursor.unsigned());
    case FORM.strx1:
      return indexedText(cursor.u8());
    case FORM.strx2:
      return indexedText(cursor.u16());
    case FORM.strx3:
      return indexedText(threeBytes());
    case FORM.strx4:
      return indexedText(cursor.place(4));
    case FORM.addrx:
    case FORM.gnuAddrIndex:
      return addressOf(sections, unit, cursor.unsigned());
    case FORM.addrx1:
      return addressOf(sections, unit, cursor.u8());
    case FORM.addrx2:
      return addressOf(sections, unit, cursor.u16());
    case FORM.addrx3:
      return addressOf(sections, unit, threeBytes());
    case FORM.addrx4:
      return addressOf(sections, unit, cursor.place(4));
    // References into a supplementary file, which is not read.
    case FORM.refSup4:
      cursor.skip(4);
      return NOTHING;
    case FORM.refSup8:
      cursor.skip(8);
      return NOTHING;
    case FORM.strpSup:
    case FORM.gnuRefAlt:
    case FORM.gnuStrpAlt:
      cursor.skip(word);
      return NOTHING;
    default:
      return undefined;
  }

  function block(bytes: number): Value {
    const at = cursor.at;
    cursor.skip(bytes);
    return { block: { at, bytes } };
  }

  function threeBytes(): number {
    const bytes = [cursor.u8(), cursor.u8(), cursor.u8()];
    if (!sections.info.littleEndian) bytes.reverse();
    return bytes[0]! + bytes[1]! * 0x100 + bytes[2]! * 0x1_0000;
  }

  function textAt(from: Data | undefined, at: number): Value {
    return isKept && from !== undefined && from.has(at, 1) ? { text: from.name(at) } : NOTHING;
  }

  function indexedText(index: number): Value {
    const at = unit.stringOffsetsAt + index * word;
    const from = sections.stringOffsets;
    if (!isKept || from === undefined || !from.has(at, word)) return NOTHING;
    return textAt(sections.strings, Number(from.word(at, word)));
  }
}

function whole(value: number): Value {
  return Number.isSafeInteger(value) ? { number: BigInt(value) } : NOTHING;
}

/** Returns entry `index` of the unit's list of addresses (DWARF 5, 7.27). */
export function addressOf({ addresses }: InfoSections, { addressesAt, addressBytes }: Unit, index: number): Value {
  const at = addressesAt + index * addressBytes;
  return addresses?.has(at, addressBytes) === true
    ? { number: addresses.word(at, addressBytes), isAddress: true }
    : NOTHING;
}
