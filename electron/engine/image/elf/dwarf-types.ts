/**
 * Reads variables with fixed addresses and the layouts of their types from the debug information of an ELF file.
 *
 * Variables whose place depends on the running code (registers, stack frames, location lists) are counted and left out. Types are numbered in
 * the order in which variables refer to them, and types that no variable needs are not converted.
 *
 * DWARF 5, sections 4.1 (variables), 5 (types), 5.7.6 (bit-fields), 2.6 (locations).
 */
import type { BaseForm, DataType, Member, TypeId } from '../../../../shared/requests/variables.ts';
import { createCursor } from './cursor.ts';
import { createData, type Data } from './data.ts';
import {
  addressOf,
  ATTRIBUTE,
  readAbbreviations,
  readUnit,
  TAG,
  visitEntries,
  type Abbreviations,
  type Entry,
  type InfoSections,
} from './dwarf-entries.ts';
import { SECTION_FLAG, type Elf } from './elf.ts';
import { sectionData } from './elf-lines.ts';
import type { SplitFiles } from './split-files.ts';
import { completeUnit, skeletonOf, splitId, splitInfo, type Skeleton } from './split-units.ts';
import { UNREPORTED, type Report } from '../image.ts';

export interface DebugVariable {
  readonly name: string;
  /** Link-time address. */
  readonly address: bigint;
  readonly type: TypeId;
  /** Type as in C. */
  readonly typeName: string;
  readonly bytes: number;
}

export interface DebugVariables {
  readonly variables: readonly DebugVariable[];
  readonly types: readonly DataType[];
  /** Number of variables and parameters whose place depends on the running code. */
  readonly moving: number;
  /** Phrases about parts that were not read. */
  readonly problems: readonly string[];
}

const MOST_ENTRIES = 1_000_000;
const MOST_VARIABLES = 100_000;
const MOST_TYPES = 100_000;
const MOST_MEMBERS = 10_000;
const MOST_DIMENSIONS = 16;
const UNREAD = -1;
const VOID = -2;
/** Longest chain of typedefs and qualifiers, and of names that a type name is made of. */
const MOST_DEPTH = 40;

const TYPES: ReadonlySet<number> = new Set([
  ...[TAG.array, TAG.class, TAG.enumeration, TAG.pointer, TAG.reference, TAG.structure, TAG.subroutine, TAG.typedef],
  ...[TAG.union, TAG.base, TAG.constant, TAG.volatile, TAG.restrict, TAG.unspecified, TAG.rvalueReference, TAG.atomic],
]);
const PARTS: ReadonlySet<number> = new Set([TAG.member, TAG.subrange, TAG.enumerator, TAG.inheritance]);
const SCOPES: ReadonlySet<number> = new Set([...[TAG.namespace, TAG.structure, TAG.class, TAG.union, TAG.subprogram]]);

interface Node {
  readonly entry: Entry;
  readonly parts: Entry[];
}

/**
 * Returns undefined if the file has no debug information.
 * @param split finds the units that are in other files, which are left out by default
 */
export function readVariables(
  elf: Elf,
  report: Report = UNREPORTED,
  split: SplitFiles = () => undefined,
): DebugVariables | undefined {
  const problems: string[] = [];
  const part = (name: string) => sectionData(elf, name, 'variables', problems);
  const units = part('info');
  const abbreviations = part('abbrev');
  if (units === undefined || abbreviations === undefined) return undefined;
  const typeUnits = part('types');
  const info = typeUnits === undefined ? units : joined(units, typeUnits);
  const optional = { strings: part('str'), lineStrings: part('line_str') };
  const indexed = { stringOffsets: part('str_offsets'), addresses: part('addr') };
  const sections = Object.fromEntries(
    Object.entries({ info, abbreviations, ...optional, ...indexed }).filter(([, data]) => data !== undefined),
  ) as unknown as InfoSections;
  const all = typeUnits === undefined ? sections : { ...sections, typesAt: units.length };
  const reading: Reading = { left: { entries: MOST_ENTRIES }, unreadable: 0, problems, report };
  const converted: Converted = { variables: new Map(), types: [], moving: 0 };
  const found = collect(all, reading);
  convert(elf, all, found, converted);
  const missing = found.skeletons.filter((skeleton) => {
    const others = reading.left.entries > 0 ? split(skeleton) : undefined;
    if (others === undefined) return true;
    const own = splitInfo(all, others);
    const rest = collect(own, reading, skeleton);
    convert(elf, own, rest, converted);
    return !rest.hasUnit;
  });
  if (missing.length > 0) problems.push(missingWords(missing));
  if (reading.unreadable > 0) problems.push(`${reading.unreadable} units of its debug information cannot be read`);
  const { variables, types, moving } = converted;
  if (variables.size >= MOST_VARIABLES)
    problems.push(`it has too many variables; only the first ${MOST_VARIABLES} are used`);
  if (types.length >= MOST_TYPES) problems.push(`it has too many types; only the first ${MOST_TYPES} are used`);
  return { variables: [...variables.values()], types, moving, problems };
}

/** Returns both sections one after the other. References within a unit are relative to it, so they stay valid. */
function joined(first: Data, second: Data): Data {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first.part(0, first.length));
  bytes.set(second.part(0, second.length), first.length);
  return createData(bytes, first.littleEndian);
}

interface Found {
  readonly nodes: Map<number, Node>;
  /** Variables with their scopes: `main::`. */
  readonly variables: { readonly entry: Entry; readonly scope: string }[];
  /** Scopes of declarations, by their offsets. */
  readonly scopes: Map<number, string>;
  /** Offsets of the types of type units, by signature. */
  readonly signatures: Map<bigint, number>;
  /** Units that are in other files. */
  readonly skeletons: Skeleton[];
  /** True if the unit of the skeleton is there. */
  hasUnit: boolean;
}

interface Reading {
  /** Entries that may still be read. */
  readonly left: { entries: number };
  /** Number of units that cannot be read. */
  unreadable: number;
  readonly problems: string[];
  readonly report: Report;
}

/** Collects the entries of all units; of a split file only those of the skeleton's unit and of type units. */
function collect(sections: InfoSections, reading: Reading, skeleton?: Skeleton): Found {
  const { info } = sections;
  const { left, problems, report } = reading;
  const found: Found = {
    nodes: new Map(),
    variables: [],
    scopes: new Map(),
    signatures: new Map(),
    skeletons: [],
    hasUnit: false,
  };
  const known = new Map<number, Abbreviations>();
  const { typesAt = info.length } = sections;
  for (let at = 0; at < info.length;) {
    const unit = readUnit(sections, at);
    if (unit === undefined) {
      const isType = at >= typesAt;
      const place = isType ? `${at - typesAt} of .debug_types` : `${at} of .debug_info`;
      problems.push(`its debug information is truncated at byte ${place}`);
      if (isType) break;
      at = typesAt;
      continue;
    }
    at = unit.end;
    if (skeleton === undefined) report('variables', at, info.length);
    if (unit.version === 0) {
      reading.unreadable += 1;
      continue;
    }
    if (skeleton !== undefined) completeUnit(unit, skeleton);
    if (unit.signed) found.signatures.set(unit.signed.signature, unit.signed.at);
    const abbreviations = known.get(unit.abbreviationsAt) ?? readAbbreviations(sections, unit.abbreviationsAt);
    known.set(unit.abbreviationsAt, abbreviations);
    /** Ancestors of the next entry, by depth. */
    const ancestors: Entry[] = [];
    const isWhole = visitEntries(sections, unit, abbreviations, (entry) => {
      ancestors.length = Math.max(0, Math.min(entry.depth, ancestors.length));
      ancestors[entry.depth] = entry;
      if (entry.at === unit.entriesAt) {
        const other = skeletonOf(entry);
        if (skeleton === undefined && other !== undefined) found.skeletons.push(other);
        const isWanted = splitId(entry) === skeleton?.id;
        if (skeleton !== undefined && !isWanted && unit.signed === undefined) return false;
        found.hasUnit ||= isWanted;
      }
      if (TYPES.has(entry.tag)) found.nodes.set(entry.at, { entry, parts: [] });
      else if (PARTS.has(entry.tag)) found.nodes.get(ancestors[entry.depth - 1]?.at ?? -1)?.parts.push(entry);
      const isMember = entry.tag === TAG.member && entry.values.has(ATTRIBUTE.declaration);
      if (isMember || entry.tag === TAG.variable || entry.tag === TAG.parameter) {
        const scope = scopeOf(ancestors, entry.depth);
        found.nodes.set(entry.at, { entry, parts: [] });
        if (entry.values.has(ATTRIBUTE.location)) found.variables.push({ entry, scope });
        else found.scopes.set(entry.at, scope);
      }
      left.entries -= 1;
      return left.entries > 0;
    });
    if (!isWhole) reading.unreadable += 1;
    if (left.entries <= 0) {
      problems.push(`it has too many entries of debug information; only the first ${MOST_ENTRIES} are used`);
      break;
    }
  }
  return found;
}

/** Largest number of files that a message names. */
const MOST_FILES = 3;

function missingWords(skeletons: readonly Skeleton[]): string {
  const { length } = skeletons;
  const files = [...new Set(skeletons.map(({ name }) => name))];
  const named = files.slice(0, MOST_FILES).join(', ') + (files.length > MOST_FILES ? ', …' : '');
  const subject =
    length === 1 ? '1 unit of its debug information keeps' : `${length} units of its debug information keep`;
  return `${subject} variables and types in other files (${named}), which are not there or belong to another build`;
}

function scopeOf(ancestors: readonly Entry[], depth: number): string {
  return ancestors
    .slice(0, depth)
    .filter(({ tag }) => SCOPES.has(tag))
    .map((entry) => `${nameOf(entry) ?? '(anonymous)'}::`)
    .join('');
}

function nameOf({ values }: Entry): string | undefined {
  return values.get(ATTRIBUTE.name)?.text;
}

function numberOf({ values }: Entry, attribute: number): number | undefined {
  const value = values.get(attribute)?.number;
  const number = value === undefined ? Number.NaN : Number(value);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** Variables that were converted so far, by name and address, and the types that they refer to. */
interface Converted {
  readonly variables: Map<string, DebugVariable>;
  readonly types: DataType[];
  moving: number;
}

/** Adds the variables that were found in the sections of a file, and their types. */
function convert(
  elf: Elf,
  sections: InfoSections,
  { nodes, variables, scopes, signatures }: Found,
  converted: Converted,
): void {
  const { variables: found, types } = converted;
  const numbers = new Map<number, TypeId>();
  /** Types whose members are not converted yet. */
  const waiting: (() => void)[] = [];
  const memory = elf.sections.filter(({ flags }) => (flags & SECTION_FLAG.alloc) !== 0);

  for (const { entry, scope } of variables) {
    const place = entry.values.get(ATTRIBUTE.location);
    if (place === undefined) continue;
    const address = place.block && fixedAddress(sections, entry, place.block);
    if (address === undefined) {
      converted.moving += 1;
      continue;
    }
    if (entry.tag !== TAG.variable) continue;
    // A variable that the linker discarded keeps an address outside the program.
    if (!memory.some((section) => address >= section.address && address < section.address + section.size)) continue;
    const declared = originOf(entry);
    const name = nameOf(entry) ?? (declared && nameOf(declared.entry));
    const type = referenceOf(entry) ?? (declared && referenceOf(declared.entry));
    if (name === undefined || found.size >= MOST_VARIABLES) continue;
    const id = typeNumber(type);
    const full = `${nameOf(entry) === undefined && declared ? (scopes.get(declared.entry.at) ?? '') : scope}${name}`;
    if (id === undefined) continue;
    found.set(`${full} ${address}`, {
      name: full,
      address,
      type: id,
      typeName: typeName(type, 0),
      bytes: bytesOf(type, 0),
    });
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) next();

  /** Returns the declaration that an entry completes. */
  function originOf({ values }: Entry): Node | undefined {
    const at = values.get(ATTRIBUTE.specification)?.number ?? values.get(ATTRIBUTE.abstractOrigin)?.number;
    return at === undefined ? undefined : nodes.get(Number(at));
  }

  /** Returns the offset of the type of an entry; undefined for `void`, and UNREAD for a type that was not read. */
  function referenceOf({ values }: Entry): number | undefined {
    if (!values.has(ATTRIBUTE.type)) return undefined;
    const value = values.get(ATTRIBUTE.type)?.number ?? -1n;
    return value < 0n ? (signatures.get(BigInt.asUintN(64, -1n - value)) ?? UNREAD) : Number(value);
  }

  /** Returns the type without names and qualifiers; undefined for `void` and for what cannot be read. */
  function plain(at: number | undefined): Node | undefined {
    let node = at === undefined ? undefined : nodes.get(at);
    for (let depth = 0; depth < MOST_DEPTH; depth++) {
      if (node === undefined || !ALIASES.has(node.entry.tag)) return node;
      const next = referenceOf(node.entry);
      node = next === undefined ? undefined : nodes.get(next);
    }
    return undefined;
  }

  function typeName(at: number | undefined, depth: number): string {
    const node = at === undefined ? undefined : nodes.get(at);
    if (at === undefined) return 'void';
    if (node === undefined || depth > MOST_DEPTH) return 'unknown';
    const { entry } = node;
    const of = (): string => typeName(referenceOf(entry), depth + 1);
    const name = nameOf(entry);
    switch (entry.tag) {
      case TAG.pointer:
        return `${of()} *`;
      case TAG.reference:
        return `${of()} &`;
      case TAG.rvalueReference:
        return `${of()} &&`;
      case TAG.constant:
        return qualified('const', of());
      case TAG.volatile:
        return qualified('volatile', of());
      case TAG.restrict:
      case TAG.atomic:
        return of();
      case TAG.array:
        return `${of()}${countsOf(node)
          .map((count) => `[${count}]`)
          .join('')}`;
      case TAG.subroutine:
        return 'function';
      case TAG.structure:
        return `struct ${name ?? '(anonymous)'}`;
      case TAG.class:
        return `class ${name ?? '(anonymous)'}`;
      case TAG.union:
        return `union ${name ?? '(anonymous)'}`;
      case TAG.enumeration:
        return `enum ${name ?? '(anonymous)'}`;
      default:
        return name ?? 'unknown';
    }
  }

  function bytesOf(at: number | undefined, depth: number): number {
    const node = plain(at);
    if (node === undefined || depth > MOST_DEPTH) return 0;
    const own = numberOf(node.entry, ATTRIBUTE.byteSize);
    if (own !== undefined) return own;
    if (POINTERS.has(node.entry.tag)) return node.entry.unit.addressBytes;
    if (node.entry.tag === TAG.enumeration) return bytesOf(referenceOf(node.entry), depth + 1);
    if (node.entry.tag !== TAG.array) return 0;
    const bytes = countsOf(node).reduce((all, count) => all * count, bytesOf(referenceOf(node.entry), depth + 1));
    return Number.isSafeInteger(bytes) ? bytes : 0;
  }

  /** Returns the number of a type, and converts it if it is new; undefined if there are too many. */
  function typeNumber(at: number | undefined): TypeId | undefined {
    const node = plain(at);
    // Names and qualifiers belong to the type as it is shown.
    const key = at ?? VOID;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    if (types.length >= MOST_TYPES) return undefined;
    const id = types.length;
    numbers.set(key, id);
    const name = typeName(at, 0);
    const bytes = bytesOf(at, 0);
    types.push({ kind: 'opaque', name, bytes });
    if (node !== undefined) waiting.push(() => (types[id] = convertType(node, name, bytes)));
    return id;
  }

  function convertType(node: Node, name: string, bytes: number): DataType {
    const { entry } = node;
    const opaque: DataType = { kind: 'opaque', name, bytes };
    switch (entry.tag) {
      case TAG.base:
        return { kind: 'base', name, bytes, form: FORMS[numberOf(entry, ATTRIBUTE.encoding) ?? 0] ?? 'unsigned' };
      case TAG.pointer:
      case TAG.reference:
      case TAG.rvalueReference: {
        const target = referenceOf(entry);
        return { kind: 'pointer', name, bytes, target: target === undefined ? null : (typeNumber(target) ?? null) };
      }
      case TAG.structure:
      case TAG.class:
      case TAG.union: {
        if (entry.values.has(ATTRIBUTE.declaration)) return opaque;
        const members = node.parts.slice(0, MOST_MEMBERS).flatMap((part) => memberOf(part) ?? []);
        return { kind: 'structure', name, bytes, members };
      }
      case TAG.array:
        return convertArray(node, name) ?? opaque;
      case TAG.enumeration: {
        const values = node.parts.flatMap((part) => {
          const value = part.values.get(ATTRIBUTE.constant)?.number;
          return part.tag !== TAG.enumerator || value === undefined
            ? []
            : [{ name: nameOf(part) ?? '?', value: value.toString() }];
        });
        const base = plain(referenceOf(entry));
        const form = base && FORMS[numberOf(base.entry, ATTRIBUTE.encoding) ?? 0];
        const signed = base
          ? form === 'signed' || form === 'signed-character'
          : values.some(({ value }) => value.startsWith('-'));
        return { kind: 'enumeration', name, bytes, signed, values };
      }
      default:
        return opaque;
    }
  }

  /** Converts an array; one of several dimensions is an array of arrays. */
  function convertArray(node: Node, name: string): DataType | undefined {
    const element = referenceOf(node.entry);
    const inner = bytesOf(element, 0);
    const counts = countsOf(node);
    if (counts.length > MOST_DIMENSIONS) return undefined;
    let type = typeNumber(element);
    let bytes = inner;
    for (let i = counts.length - 1; i >= 0 && type !== undefined; i--) {
      const array = {
        kind: 'array',
        name:
          i === 0
            ? name
            : `${typeName(element, 0)}${counts
                .slice(i)
                .map((count) => `[${count}]`)
                .join('')}`,
        bytes: bytes * counts[i]!,
        element: type,
        elementBytes: bytes,
        count: counts[i]!,
      } as const;
      if (i === 0) return inner === 0 ? undefined : array;
      type = types.length;
      types.push(array);
      bytes = array.bytes;
    }
    return undefined;
  }

  function countsOf({ parts }: Node): number[] {
    return parts
      .filter(({ tag }) => tag === TAG.subrange)
      .map((part) => {
        const count = numberOf(part, ATTRIBUTE.count);
        const last = numberOf(part, ATTRIBUTE.upperBound);
        // Bounds that are computed at run time, and flexible arrays, have no fixed number of elements.
        return count ?? (last === undefined || last >= 0xffff_ffff ? 0 : last + 1);
      });
  }

  function memberOf(part: Entry): Member | undefined {
    if (part.tag !== TAG.member && part.tag !== TAG.inheritance) return undefined;
    const { values } = part;
    const at = referenceOf(part);
    const bits = numberOf(part, ATTRIBUTE.bitSize);
    const fromStart = numberOf(part, ATTRIBUTE.dataBitOffset);
    const location = values.get(ATTRIBUTE.memberLocation);
    // A static member has no place in the structure.
    if (values.has(ATTRIBUTE.declaration) && location === undefined) return undefined;
    const offset = location?.block
      ? constantOffset(sections, location.block)
      : (numberOf(part, ATTRIBUTE.memberLocation) ?? 0);
    const type = typeNumber(at);
    if (offset === undefined || type === undefined) return undefined;
    const name = nameOf(part) ?? (part.tag === TAG.inheritance ? typeName(at, 0) : '(anonymous)');
    if (bits === undefined || bits === 0) return { name, type, offset };
    if (fromStart !== undefined) {
      const inByte = fromStart % 8;
      const bytes = Math.ceil((inByte + bits) / 8);
      const shift = elf.data.littleEndian ? inByte : bytes * 8 - inByte - bits;
      return { name, type, offset: Math.floor(fromStart / 8), field: { bytes, shift, bits } };
    }
    // DWARF 2 and 3: counted from the highest bit of a unit of storage.
    const bytes = numberOf(part, ATTRIBUTE.byteSize) ?? bytesOf(at, 0);
    const shift = bytes * 8 - (numberOf(part, ATTRIBUTE.bitOffset) ?? 0) - bits;
    return shift < 0 || bytes === 0 ? undefined : { name, type, offset, field: { bytes, shift, bits } };
  }
}

/** Returns the name of a type with a qualifier: behind that of a pointer, and once, because compilers qualify an array and its elements. */
function qualified(word: string, name: string): string {
  if (name.endsWith('*')) return `${name}${word}`;
  return name.startsWith(`${word} `) ? name : `${word} ${name}`;
}

const ALIASES: ReadonlySet<number> = new Set([TAG.typedef, TAG.constant, TAG.volatile, TAG.restrict, TAG.atomic]);
const POINTERS: ReadonlySet<number> = new Set([TAG.pointer, TAG.reference, TAG.rvalueReference]);

/** DW_ATE encodings (DWARF 5, 7.8). */
const FORMS: Readonly<Record<number, BaseForm>> = {
  0x02: 'boolean',
  0x04: 'float',
  0x05: 'signed',
  0x06: 'signed-character',
  0x07: 'unsigned',
  0x08: 'unsigned-character',
  0x10: 'unsigned',
};

/** Returns the address of an expression that is only an address (DW_OP_addr, DW_OP_addrx), perhaps with an offset added. */
function fixedAddress(
  sections: InfoSections,
  { unit }: Entry,
  { at, bytes }: { readonly at: number; readonly bytes: number },
): bigint | undefined {
  const cursor = createCursor(sections.info, at, at + bytes);
  const operation = bytes === 0 ? 0 : cursor.u8();
  let address: bigint | undefined;
  if (operation === 0x03) address = cursor.word(unit.addressBytes);
  else if (operation === 0xa1 || operation === 0xfb) address = addressOf(sections, unit, cursor.unsigned()).number;
  if (address !== undefined && cursor.at < cursor.end)
    address = cursor.u8() === 0x23 ? address + BigInt(Math.min(cursor.unsigned(), Number.MAX_SAFE_INTEGER)) : undefined;
  return cursor.broken || cursor.at !== cursor.end ? undefined : address;
}

/** Returns the offset of a member whose location is DW_OP_plus_uconst, as in DWARF 2. */
function constantOffset(
  { info }: InfoSections,
  { at, bytes }: { readonly at: number; readonly bytes: number },
): number | undefined {
  const cursor = createCursor(info, at, at + bytes);
  const isSum = cursor.u8() === 0x23;
  const offset = cursor.unsigned();
  return isSum && !cursor.broken && cursor.at === cursor.end && Number.isSafeInteger(offset) ? offset : undefined;
}
