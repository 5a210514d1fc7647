/**
 * Reads from the debug information of an ELF file where functions were inlined, and in which directory each unit was compiled.
 *
 * DWARF 5, sections 3.1.1 (units), 3.3.8 (inlined subroutines), 2.17 and 7.25 (range lists); DWARF 4, section 2.17.3.
 */
import { createCursor } from './cursor.ts';
import type { Data } from './data.ts';
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
  type Unit,
  type Value,
} from './dwarf-entries.ts';
import type { FileNames, LineSections } from './dwarf-files.ts';
import { fileNamesAt } from './dwarf-lines.ts';
import type { Elf } from './elf.ts';
import { sectionData } from './elf-lines.ts';
import type { SplitFiles, SplitSections } from './split-files.ts';
import { completeUnit, skeletonOf, splitId, splitInfo, type Skeleton } from './split-units.ts';
import { UNREPORTED, type Report } from '../image.ts';

/** Addresses [start, end) of code that was inlined. Addresses are link-time addresses. */
export interface InlinedStretch {
  readonly start: bigint;
  readonly end: bigint;
  /** Number of the functions that it is in. */
  readonly depth: number;
  readonly name: string;
  /** Where it was called; absent if unknown. `file` is a name as in the line table. */
  readonly file?: string;
  readonly line?: number;
}

export interface CompiledUnit {
  /** The source file, as it was given to the compiler. */
  readonly name: string;
  readonly directory: string;
}

export interface DebugScopes {
  /** By start. */
  readonly inlined: readonly InlinedStretch[];
  readonly units: readonly CompiledUnit[];
}

const INLINED = 0x1d;
const OWN = {
  lines: 0x10,
  low: 0x11,
  high: 0x12,
  ranges: 0x55,
  callFile: 0x58,
  callLine: 0x59,
  linkageName: 0x6e,
  rangeLists: 0x74,
} as const;
const KEPT: ReadonlySet<number> = new Set<number>([
  ...Object.values(OWN),
  ...[ATTRIBUTE.name, ATTRIBUTE.directory, ATTRIBUTE.abstractOrigin, ATTRIBUTE.specification],
  ...[ATTRIBUTE.stringOffsets, ATTRIBUTE.addresses, ATTRIBUTE.gnuAddresses],
  ...[ATTRIBUTE.splitName, ATTRIBUTE.gnuSplitName, ATTRIBUTE.gnuSplitId, ATTRIBUTE.gnuRanges],
]);

const MOST_ENTRIES = 20_000_000;
const MOST_STRETCHES = 500_000;
const MOST_RANGES = 10_000;
/** Longest chain from an inlined function to its name. */
const MOST_ORIGINS = 8;

interface Sections {
  readonly info: InfoSections;
  readonly lines: LineSections | undefined;
  /** `.debug_ranges` and `.debug_rnglists`. */
  readonly ranges: Data | undefined;
  readonly rangeLists: Data | undefined;
}

interface Origin {
  readonly name: string | undefined;
  readonly origin: number | undefined;
}

/** An inlined function whose name may be that of a later entry. */
interface Found extends Omit<InlinedStretch, 'name'> {
  readonly of: number;
}

/**
 * Returns undefined if the file has no debug information.
 * @param split finds the units that are in other files, which are left out by default
 */
export function readScopes(elf: Elf, report: Report = UNREPORTED, split?: SplitFiles): DebugScopes | undefined {
  const sections = sectionsOf(elf);
  if (sections === undefined) return undefined;
  const inlined: InlinedStretch[] = [];
  const units: CompiledUnit[] = [];
  const left = { entries: MOST_ENTRIES, stretches: MOST_STRETCHES };
  const skeletons: Outline[] = [];
  readUnits(sections, { left, inlined, units, report, skeletons });
  for (const skeleton of skeletons) {
    const others = split?.(skeleton);
    if (others === undefined || left.entries <= 0 || left.stretches <= 0) continue;
    readUnits(splitSections(sections, others), { left, inlined, units, report: UNREPORTED, skeleton });
  }
  inlined.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : a.depth - b.depth));
  return { inlined, units };
}

/** A skeleton with its part of the range lists. */
interface Outline extends Skeleton, Pick<UnitFacts, 'low' | 'rangesAt'> {}

interface Reading {
  /** Entries and stretches that may still be read. */
  readonly left: { entries: number; stretches: number };
  readonly inlined: InlinedStretch[];
  readonly units: CompiledUnit[];
  readonly report: Report;
  /** Receives the units that are in other files. */
  readonly skeletons?: Outline[];
  /** The unit to read of a split file; all of them by default. */
  readonly skeleton?: Outline;
}

/** Reads the units of a file. References lead to entries of the same file. */
function readUnits(sections: Sections, { left, inlined, units, report, skeletons, skeleton }: Reading): void {
  const { info } = sections.info;
  const known = new Map<number, Abbreviations>();
  const origins = new Map<number, Origin>();
  const found: Found[] = [];
  for (let at = 0; at < info.length && left.entries > 0 && left.stretches > found.length;) {
    const unit = readUnit(sections.info, at);
    if (unit === undefined) break;
    at = unit.end;
    report('variables', at, info.length);
    if (unit.version === 0) continue;
    const abbreviations = known.get(unit.abbreviationsAt) ?? readAbbreviations(sections.info, unit.abbreviationsAt);
    known.set(unit.abbreviationsAt, abbreviations);
    if (skeleton !== undefined) completeUnit(unit, skeleton);
    const facts: UnitFacts = {
      low: skeleton?.low ?? 0n,
      rangesAt: skeleton?.rangesAt ?? 0,
      listsAt: 0,
      files: undefined,
      names: new Map(),
    };
    /** By depth of the entry: number of inlined functions around it. */
    const around: number[] = [];
    visitEntries(
      sections.info,
      unit,
      abbreviations,
      (entry) => {
        left.entries--;
        around.length = entry.depth;
        const depth = around.at(-1) ?? 0;
        around.push(depth + Number(entry.tag === INLINED));
        if (entry.at === unit.entriesAt) {
          if (skeleton !== undefined && splitId(entry) !== skeleton.id) return false;
          readUnitEntry(sections, entry, facts, units, skeleton !== undefined);
          const other = skeletonOf(entry);
          const rangesAt = Number(entry.values.get(ATTRIBUTE.gnuRanges)?.number ?? 0n);
          if (other !== undefined) skeletons?.push({ ...other, low: facts.low, rangesAt });
        } else if (entry.tag === TAG.subprogram) origins.set(entry.at, originOf(entry));
        else if (entry.tag === INLINED) addInlined(sections, entry, facts, depth, found);
        return left.entries > 0 && found.length < left.stretches;
      },
      KEPT,
    );
  }
  left.stretches -= found.length;
  for (const { of, ...stretch } of found) {
    const name = nameOf(origins, of);
    if (name !== undefined) inlined.push({ ...stretch, name });
  }
}

/** Returns the sections of a split file, with those that stay in the program. */
function splitSections(own: Sections, others: SplitSections): Sections {
  const { lines, strings } = others;
  return {
    info: splitInfo(own.info, others),
    lines: lines && { lines, ...(strings && { strings }) },
    ranges: own.ranges,
    rangeLists: others.rangeLists,
  };
}

function sectionsOf(elf: Elf): Sections | undefined {
  // Variables and lines report their own problems with these sections.
  const part = (name: string) => sectionData(elf, name, 'scopes', []);
  const [info, abbreviations] = [part('info'), part('abbrev')];
  if (info === undefined || abbreviations === undefined) return undefined;
  const [strings, lineStrings] = [part('str'), part('line_str')];
  const [stringOffsets, addresses, lines] = [part('str_offsets'), part('addr'), part('line')];
  const texts = { ...(strings && { strings }), ...(lineStrings && { lineStrings }) };
  return {
    info: { info, abbreviations, ...texts, ...(stringOffsets && { stringOffsets }), ...(addresses && { addresses }) },
    lines: lines && { lines, ...texts },
    ranges: part('ranges'),
    rangeLists: part('rnglists'),
  };
}

interface UnitFacts {
  /** Base of addresses in range lists. */
  low: bigint;
  /** Offset in `.debug_ranges` to which those of a split unit are relative. */
  rangesAt: number;
  /** Offset of the table of range lists. */
  listsAt: number;
  files: FileNames | undefined;
  /** Names that were read, by number. */
  names: Map<number, string | undefined>;
}

function readUnitEntry(
  sections: Sections,
  { values, unit }: Entry,
  facts: UnitFacts,
  units: CompiledUnit[],
  isSplit: boolean,
): void {
  facts.low = values.get(OWN.low)?.number ?? facts.low;
  facts.listsAt = Number(values.get(OWN.rangeLists)?.number ?? (unit.word === 8 ? 20n : 12n));
  // A split file has one table of file names.
  const lines = values.get(OWN.lines)?.number ?? (isSplit ? 0n : undefined);
  facts.files = sections.lines && lines !== undefined ? fileNamesAt(sections.lines, Number(lines)) : undefined;
  const [name, directory] = [values.get(ATTRIBUTE.name)?.text, values.get(ATTRIBUTE.directory)?.text];
  if (name !== undefined && directory !== undefined) units.push({ name, directory });
}

function originOf({ values }: Entry): Origin {
  const origin = (values.get(ATTRIBUTE.abstractOrigin) ?? values.get(ATTRIBUTE.specification))?.number;
  return {
    name: values.get(ATTRIBUTE.name)?.text ?? values.get(OWN.linkageName)?.text,
    origin: origin === undefined ? undefined : Number(origin),
  };
}

function nameOf(origins: ReadonlyMap<number, Origin>, of: number): string | undefined {
  let at = origins.get(of);
  for (let steps = 0; steps < MOST_ORIGINS && at !== undefined && at.name === undefined; steps++)
    at = at.origin === undefined ? undefined : origins.get(at.origin);
  return at?.name;
}

function addInlined(sections: Sections, entry: Entry, facts: UnitFacts, depth: number, found: Found[]): void {
  const { values, unit } = entry;
  const of = values.get(ATTRIBUTE.abstractOrigin)?.number;
  if (of === undefined) return;
  const line = values.get(OWN.callLine)?.number;
  const number = values.get(OWN.callFile)?.number;
  const file = number === undefined ? undefined : fileOf(facts, Number(number));
  const call = { ...(file !== undefined && { file }), ...(line !== undefined && { line: Number(line) }) };
  for (const { start, end } of stretchesOf(sections, values, unit, facts))
    if (start < end) found.push({ start, end, depth, of: Number(of), ...call });
}

function fileOf({ files, names }: UnitFacts, number: number): string | undefined {
  if (names.has(number)) return names.get(number);
  let name: string | undefined;
  files?.number(number, { file: (text) => (name = text).length });
  names.set(number, name);
  return name;
}

interface Stretch {
  readonly start: bigint;
  readonly end: bigint;
}

function stretchesOf(
  sections: Sections,
  values: ReadonlyMap<number, Value>,
  unit: Unit,
  facts: UnitFacts,
): readonly Stretch[] {
  const low = values.get(OWN.low)?.number;
  const high = values.get(OWN.high);
  if (low !== undefined && high?.number !== undefined)
    return [{ start: low, end: high.isAddress === true ? high.number : low + high.number }];
  const ranges = values.get(OWN.ranges);
  if (ranges === undefined) return [];
  if (unit.version < 5)
    return ranges.number === undefined
      ? []
      : oldRanges(sections.ranges, facts.rangesAt + Number(ranges.number), unit, facts.low);
  const { rangeLists } = sections;
  if (rangeLists === undefined) return [];
  if (ranges.index === undefined)
    return ranges.number === undefined ? [] : rangeList(sections, Number(ranges.number), unit, facts.low);
  const at = facts.listsAt + ranges.index * unit.word;
  if (!rangeLists.has(at, unit.word)) return [];
  return rangeList(sections, facts.listsAt + Number(rangeLists.word(at, unit.word)), unit, facts.low);
}

/** Reads a list of `.debug_ranges`: pairs of addresses relative to a base. */
function oldRanges(data: Data | undefined, at: number, { addressBytes }: Unit, low: bigint): readonly Stretch[] {
  if (data === undefined || at >= data.length) return [];
  const cursor = createCursor(data, at, data.length);
  const highest = (1n << BigInt(8 * addressBytes)) - 1n;
  const found: Stretch[] = [];
  for (let base = low; found.length < MOST_RANGES;) {
    const [start, end] = [cursor.word(addressBytes), cursor.word(addressBytes)];
    if (cursor.broken || (start === 0n && end === 0n)) break;
    if (start === highest) base = end;
    else found.push({ start: base + start, end: base + end });
  }
  return found;
}

/** Kinds of entries of `.debug_rnglists` (DW_RLE). */
const RANGE = {
  end: 0,
  baseIndex: 1,
  startEndIndex: 2,
  startIndexLength: 3,
  offsets: 4,
  base: 5,
  startEnd: 6,
  startLength: 7,
};

function rangeList({ rangeLists, info }: Sections, at: number, unit: Unit, low: bigint): readonly Stretch[] {
  if (rangeLists === undefined || at >= rangeLists.length) return [];
  const cursor = createCursor(rangeLists, at, rangeLists.length);
  const indexed = (): bigint => addressOf(info, unit, cursor.unsigned()).number ?? 0n;
  const found: Stretch[] = [];
  let base = low;
  const add = (start: bigint, end: bigint): void => void found.push({ start, end });
  while (found.length < MOST_RANGES) {
    const kind = cursor.u8();
    if (cursor.broken || kind === RANGE.end) break;
    if (kind === RANGE.baseIndex) base = indexed();
    else if (kind === RANGE.base) base = cursor.word(unit.addressBytes);
    else if (kind === RANGE.startEndIndex) add(indexed(), indexed());
    else if (kind === RANGE.startEnd) add(cursor.word(unit.addressBytes), cursor.word(unit.addressBytes));
    else if (kind === RANGE.offsets) add(base + BigInt(cursor.unsigned()), base + BigInt(cursor.unsigned()));
    else if (kind === RANGE.startIndexLength || kind === RANGE.startLength) {
      const start = kind === RANGE.startLength ? cursor.word(unit.addressBytes) : indexed();
      add(start, start + BigInt(cursor.unsigned()));
    } else break;
  }
  return found;
}
