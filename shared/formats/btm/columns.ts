/**
 * Which column of an export holds which signal?
 *
 * Titles are compared without case, blanks, `#`, `/`, `_` and ranges of bits: `M/IO#`, `m_io` and `MIO` are one. The range in a
 * title (`D[63:56]`) says which bits the column has; columns whose ranges adjoin (`D[63:32]`, `D[31:0]`, or a pin each) are one
 * signal, and of the data bus those apart from each other (`D[63:59]`, `D[31:0]`) too. A mapping `NAME:COLUMN,..` wins over the titles; COLUMN is a title or the number of a column, from 1.
 */
import { fail, ok, type Result } from '../../base/result.ts';
import { lanesWithin, WHOLE_BUS } from './cycles.ts';

/** What a column is. The bits of the definition come first, in the order of their cells' bits in `control`. */
export const ROLE = {
  ignored: 0,
  wr: 1,
  dc: 2,
  mio: 3,
  cache: 4,
  dp: 5,
  time: 6,
  enables: 7,
  address: 8,
  data: 9,
  cpu: 10,
  ready: 11,
} as const;
export type Role = (typeof ROLE)[keyof typeof ROLE];

export interface Layout {
  readonly separator: number;
  /** The roles of the columns, in order. */
  readonly roles: Uint8Array;
  readonly titles: readonly string[];
  /** Columns up to the last one that means anything: rows may leave out those behind it. */
  readonly least: number;
  /** The header row as it lies in the file, without blanks at its ends. */
  readonly header: string;
  /** Neither the file nor a person named the columns: they are taken to be the usual ones. */
  readonly assumed: boolean;
  /** Where the only data column begins on the data bus; of several each is placed by its own range. */
  readonly dataBit: number;
  /** Bits of the data bus that the data columns have. */
  readonly dataBits: bigint;
  /** No title says which bits of the data bus there are: a cell has those of its digits, from bit 0 on. */
  readonly dataOpen: boolean;
  /** By column, where a signal has several: the bits of it that this one holds. */
  readonly parts: readonly (BitRange | undefined)[];
  /** By byte enables: 1 where the data column has all bytes asked for. */
  readonly lanes: Uint8Array;
  /** By column: hexadecimal digits that whole cells of byte enables, address and data have at least; 0 for other columns. */
  readonly digits: Uint8Array;
  /** Power of ten from the time column's unit to nanoseconds. */
  readonly timeExponent: number;
  /** What times are in: ns, or the unit that the title names and nobody can convert. */
  readonly timeUnit: string;
  /** The title of the times names no unit. */
  readonly unitMissing: boolean;
  /** How far the address column is shifted right: 0 where A3 is its bit 3. */
  readonly shift: number;
  /** The lowest pin of the address columns, 3 or 4: what of A3 a column that begins at A4 prints as bit 3 is no pin. */
  readonly lowestPin: number;
}

interface Signal {
  readonly role: Role;
  /** The name in mappings. */
  readonly name: string;
  /** Titles without case and signs. */
  readonly titles: readonly string[];
  readonly needed?: boolean;
}

const SIGNALS: readonly Signal[] = [
  { role: ROLE.time, name: 'time', titles: ['TIME', 'TIMESTAMP', 'T', 'ABSTIME', 'ABSOLUTETIME'] },
  { role: ROLE.mio, name: 'm/io', titles: ['MIO', 'MNIO', 'MION', 'MEMIO'], needed: true },
  { role: ROLE.dc, name: 'd/c', titles: ['DC', 'DNC', 'DCN'], needed: true },
  { role: ROLE.wr, name: 'w/r', titles: ['WR', 'WNR', 'WRN'], needed: true },
  { role: ROLE.enables, name: 'be', titles: ['BE', 'BEN', 'NBE', 'BYTEENABLES', 'BYTEENABLE'], needed: true },
  { role: ROLE.address, name: 'a', titles: ['A', 'ADDR', 'ADDRESS', 'ADR'], needed: true },
  { role: ROLE.data, name: 'd', titles: ['D', 'DATA', 'DAT', 'DATAHI', 'DATALO', 'DHI', 'DLO'] },
  { role: ROLE.cpu, name: 'cpu', titles: ['CPU', 'PROCESSOR'] },
  { role: ROLE.dp, name: 'd/p', titles: ['DP', 'DNP', 'DPN'] },
  { role: ROLE.ready, name: 'brdy', titles: ['BRDY', 'NBRDY', 'BRDYN'] },
  { role: ROLE.cache, name: 'cache', titles: ['CACHE', 'NCACHE', 'CACHEN'] },
];

/** Separators, the likeliest first. */
const SEPARATORS = ['\t', ';', ',', '|'] as const;

/** Bits that a signal of several columns must have; what is missing in the middle of an address cannot be left open. */
const WHOLE: readonly (readonly [Role, BitRange])[] = [
  [ROLE.enables, { high: 7, low: 0 }],
  [ROLE.address, { high: 31, low: 4 }],
];

/**
 * A header row, which columns a person mapped, how far the address is shifted and the unit of times (`auto`: as the title says):
 * the layout, or what is wrong in one sentence.
 */
export function layoutOf(header: string, mapping: string, shift: number, unit: string): Result<Layout> {
  const tries = SEPARATORS.map((separator) => ({ separator, titles: splitTitles(header, separator) }))
    .map((each) => ({ ...each, known: each.titles.filter((title) => signalOf(title) !== undefined).length }))
    .sort((a, b) => b.known - a.known || b.titles.length - a.titles.length);
  const { separator, titles } = tries[0]!;
  const roles = assign(titles);
  const mapped = map(roles, titles, mapping);
  if (!mapped.ok) return mapped;
  const parts = titles.map((title, column) => (isPart(roles, column) ? bitRange(title) : undefined));
  const missing = SIGNALS.filter(
    ({ role, needed }) => needed === true && (!roles.includes(role) || !isWhole(role, roles, titles)),
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    return fail(
      'missing-column',
      `btm finds no column for ${names} in the header '${header.slice(0, 200)}': say which it is with columns=NAME:COLUMN,.. or give the header row with header=..`,
    );
  }
  const time = titles[roles.indexOf(ROLE.time)] ?? '';
  const data = titles.filter((_, column) => roles[column] === ROLE.data).map(bitRange);
  const dataBits = bitsOf(data);
  const pins = unionOf(titles.filter((_, column) => roles[column] === ROLE.address).map(bitRange));
  const named = unit === 'auto' ? timeUnitIn(time) : unit;
  return ok({
    separator: separator.charCodeAt(0),
    roles,
    titles,
    least: roles.findLastIndex((role) => role !== ROLE.ignored) + 1,
    header: header.trim(),
    assumed: false,
    dataBit: unionOf(data)?.low ?? 0,
    dataBits,
    dataOpen: unionOf(data) === undefined,
    lanes: lanesWithin(dataBits),
    parts,
    digits: Uint8Array.from(titles, (title, column) => cellDigits(roles[column] as Role, bitRange(title), shift)),
    timeExponent: unitExponent(named ?? 'ns') ?? 0,
    timeUnit: named === undefined || unitExponent(named) !== undefined ? 'ns' : named,
    unitMissing: named === undefined,
    shift,
    lowestPin: shift > 0 ? shift : Math.max(3, pins?.low ?? 3),
  });
}

/**
 * Each signal's column: the first of its titles, and those whose bits adjoin, in whatever order they stand. Single pins come last,
 * as `D0` has other meanings. Of the data bus those apart from the others are taken too: what lies between is not known.
 */
function assign(titles: readonly string[]): Uint8Array {
  const roles = new Uint8Array(titles.length);
  const named = titles.map((title) => signalOf(title)?.role);
  const ranges = titles.map(bitRange);
  for (const pass of ['wide', 'pins', 'apart'] as const) {
    // A column whose bits adjoin those of another one is taken once that one is: wide ones may lie beside a single pin.
    for (let more = true; more;) {
      more = false;
      named.forEach((role, column) => {
        if (role === undefined || roles[column] !== ROLE.ignored) return;
        const range = ranges[column];
        if (pass === 'wide' && isPin(range)) return;
        const taken = ranges.filter((_, other) => roles[other] === role);
        const joins = taken.length === 0 || (adjoins(range, taken) && !overlaps(range, taken));
        if (!joins && !(pass === 'apart' && liesApart(column, taken, named, ranges))) return;
        roles[column] = role;
        more = true;
      });
    }
  }
  return roles;
}

/** Whether a column has bits of the data bus that none of those `taken` has; pins only beside others, and where all are pins. */
function liesApart(
  column: number,
  taken: readonly (BitRange | undefined)[],
  named: readonly (Role | undefined)[],
  ranges: readonly (BitRange | undefined)[],
): boolean {
  const range = ranges[column];
  if (named[column] !== ROLE.data || range === undefined || taken.includes(undefined) || overlaps(range, taken))
    return false;
  const pins = ranges.filter((each, other) => named[other] === ROLE.data && isPin(each));
  return !isPin(range) || (taken.every(isPin) && adjoins(range, pins));
}

function isPin(range: BitRange | undefined): boolean {
  return range !== undefined && range.high === range.low;
}

function isPart(roles: Uint8Array, column: number): boolean {
  const role = roles[column]!;
  return PARTED.has(role) && roles.indexOf(role) !== roles.lastIndexOf(role);
}

const PARTED: ReadonlySet<number> = new Set([ROLE.enables, ROLE.address, ROLE.data]);

/** Whether the columns of a signal together hold all of it; a single one may lack bits at its upper end, which are then 0. */
function isWhole(role: Role, roles: Uint8Array, titles: readonly string[]): boolean {
  const whole = WHOLE.find(([each]) => each === role)?.[1];
  const ranges = titles.filter((_, column) => roles[column] === role).map(bitRange);
  const union = unionOf(ranges);
  if (whole === undefined || union === undefined) return true;
  return union.low <= whole.low && (ranges.length === 1 || union.high >= whole.high);
}

/** Whether a range lies right beside one of the others. */
function adjoins(range: BitRange | undefined, others: readonly (BitRange | undefined)[]): boolean {
  return others.some(
    (other) =>
      range !== undefined && other !== undefined && (range.low === other.high + 1 || other.low === range.high + 1),
  );
}

function overlaps(range: BitRange | undefined, others: readonly (BitRange | undefined)[]): boolean {
  return others.some(
    (other) => range !== undefined && other !== undefined && range.low <= other.high && other.low <= range.high,
  );
}

const MOST_DATA_BIT = 63;

/** The bits of the data bus that lie in one of the ranges; all where none is known. */
function bitsOf(ranges: readonly (BitRange | undefined)[]): bigint {
  const known = ranges.filter((range) => range !== undefined);
  if (known.length === 0) return WHOLE_BUS;
  // A title may name any bits.
  const onBus = known.filter(({ low }) => low <= MOST_DATA_BIT);
  return onBus.reduce((bits, { high, low }) => {
    const many = Math.min(high, MOST_DATA_BIT) - low + 1;
    return bits | (BigInt.asUintN(many, -1n) << BigInt(low));
  }, 0n);
}

function unionOf(ranges: readonly (BitRange | undefined)[]): BitRange | undefined {
  const known = ranges.filter((range) => range !== undefined);
  if (known.length === 0) return undefined;
  return { high: Math.max(...known.map(({ high }) => high)), low: Math.min(...known.map(({ low }) => low)) };
}

/** Whether rows say the same under both: their titles may be spelt otherwise. */
export function isSameLayout(a: Layout, b: Layout): boolean {
  const said = ({ separator, roles, parts, dataBit, dataBits, timeExponent, lowestPin }: Layout): string =>
    [separator, roles, JSON.stringify(parts), dataBit, dataBits, timeExponent, lowestPin].join(' ');
  return said(a) === said(b);
}

/** How many of the needed signals a row of cells names. */
export function signalsIn(header: string): number {
  const found = SEPARATORS.map((separator) => {
    const roles = splitTitles(header, separator).map((title) => signalOf(title)?.role);
    return SIGNALS.filter(({ role, needed }) => needed === true && roles.includes(role)).length;
  });
  return Math.max(...found);
}

/** The number of signals that a capture must have. */
export const NEEDED_SIGNALS = SIGNALS.filter(({ needed }) => needed === true).length;

/** Cells of a header row, without quotes and blanks at their ends. */
export function splitTitles(header: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (const character of header.replace(/^\uFEFF/, '').trim()) {
    if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  cells.push(cell.trim());
  // A comment sign in front of the header is not a part of the first title.
  cells[0] = cells[0]!.replace(/^(#|;|\/\/)\s*/, '');
  return cells;
}

function map(roles: Uint8Array, titles: readonly string[], mapping: string): Result<undefined> {
  const mapped = new Map<string, number>();
  for (const part of mapping.split(',').filter((each) => each.trim() !== '')) {
    const colon = part.indexOf(':');
    const name = part.slice(0, Math.max(0, colon)).trim();
    const signal = SIGNALS.find((each) => bare(each.name) === bare(name));
    if (colon < 1 || signal === undefined) {
      const names = SIGNALS.map((each) => each.name).join(', ');
      return fail(
        'unknown-value',
        `btm cannot read columns=${mapping}: '${part.trim()}' is no NAME:COLUMN with NAME one of ${names}`,
      );
    }
    const wanted = part.slice(colon + 1).trim();
    const column = columnOf(titles, wanted);
    if (column === -1 && wanted !== '-') {
      return fail(
        'unknown-column',
        `btm cannot read columns=${mapping}: the header '${titles.join(', ').slice(0, 200)}' has no column '${wanted}'`,
      );
    }
    if (mapped.has(signal.name))
      return fail('unknown-value', `btm cannot read columns=${mapping}: it names ${signal.name} twice; leave one out`);
    const [other] = [...mapped].find(([, its]) => its === column && column !== -1) ?? [];
    if (other !== undefined) {
      const both = `column '${wanted}' cannot be ${other} and ${signal.name}`;
      return fail('unknown-value', `btm cannot read columns=${mapping}: ${both}; leave one out`);
    }
    mapped.set(signal.name, column);
    roles.forEach((role, at) => {
      if (role === signal.role) roles[at] = ROLE.ignored;
    });
    if (column !== -1) roles[column] = signal.role;
  }
  return ok(undefined);
}

/** A column by its title as it stands, by its title without signs, or by its number; -1 where there is none. */
function columnOf(titles: readonly string[], wanted: string): number {
  const exact = titles.findIndex((title) => title.toLowerCase() === wanted.toLowerCase());
  if (exact !== -1) return exact;
  const similar = bare(wanted) === '' ? -1 : titles.findIndex((title) => bare(title) === bare(wanted));
  if (similar !== -1) return similar;
  const number = /^[0-9]{1,3}$/.test(wanted) ? Number(wanted) : 0;
  return number >= 1 && number <= titles.length ? number - 1 : -1;
}

function signalOf(title: string): Signal | undefined {
  const word = bare(title);
  const signal = SIGNALS.find(({ titles }) => titles.includes(word));
  const range = bitRange(title);
  // DP[7:0] are the parity pins of the data bus, not D/P#.
  return signal !== undefined && SINGLE.has(signal.role) && range !== undefined && !isPin(range) ? undefined : signal;
}

/** Signals of one pin. */
const SINGLE: ReadonlySet<Role> = new Set([ROLE.wr, ROLE.dc, ROLE.mio, ROLE.cache, ROLE.dp, ROLE.ready]);

/** A title without case, signs, and the range or unit behind it. */
function bare(title: string): string {
  return title
    .toUpperCase()
    .replace(/[[(<{].*$/, '')
    .replace(/^(TIME|TIMESTAMP|T)[ _/.,]*(?:IN[ _])?(NS|US|µS|MS|PS|S)$/, '$1')
    .replace(/^(A|ADDR|D|DATA|BE)(\d+)#?(?:(?:[-:]|\.\.)(?:A|ADDR|D|DATA|BE)?(\d+)#?)?$/, '$1')
    .replaceAll(/[^A-Z0-9]/g, '');
}

export interface BitRange {
  readonly high: number;
  readonly low: number;
}

function bitRange(title: string): BitRange | undefined {
  const half = /^[\W_]*D(?:ATA)?[\W_]*(HI|LO)[\W_]*$/i.exec(title)?.[1]?.toUpperCase();
  if (half !== undefined) return half === 'HI' ? { high: 63, low: 32 } : { high: 31, low: 0 };
  const match =
    /(\d+)#?\s*(?:[-:]|\.\.)\s*[A-Za-z]*(\d+)/.exec(title) ?? /^[\W_]*(?:A|ADDR|D|DATA|BE)\W?((\d+))\W*$/i.exec(title);
  if (match === null) return undefined;
  const ends = [Number(match[1]), Number(match[2])];
  return { high: Math.max(...ends), low: Math.min(...ends) };
}

/** Digits of a whole cell: an address has those of its lowest bits too, although the pins do not exist. */
function cellDigits(role: Role, range: BitRange | undefined, shift: number): number {
  const top = HIGHEST_BIT.get(role);
  if (top === undefined) return 0;
  const { high, low } = range ?? { high: top, low: 0 };
  const lowest = role !== ROLE.address || low > 4 ? low : shift;
  return Math.ceil((high - lowest + 1) / 4);
}

/** Of the signals that cells have in hexadecimal. */
const HIGHEST_BIT: ReadonlyMap<Role, number> = new Map([
  [ROLE.enables, 7],
  [ROLE.address, 31],
  [ROLE.data, 63],
]);

const EXPONENTS: Readonly<Record<string, number>> = { PS: -3, NS: 0, US: 3, µS: 3, MS: 6, S: 9 };

/** Power of ten from a unit of time to nanoseconds; undefined for what is no unit. */
export function unitExponent(unit: string): number | undefined {
  // The Greek letter mu becomes the micro sign's capital as well.
  return EXPONENTS[unit.toUpperCase().replace(/^[\u039c\u00b5]S$/, 'US')];
}

/** The unit in a title: between brackets or behind a blank. */
function timeUnitIn(title: string): string | undefined {
  // The micro sign of a header that was read byte by byte.
  const sound = title.replace(/\u00c2\u00b5|\u00ce\u00bc/, '\u00b5');
  const bracketed = /[[(<{]\s*([a-zµμ]+)\s*[\])>}]\s*$/i.exec(sound)?.[1];
  if (bracketed !== undefined) return bracketed;
  const word = /[ _/.,]([a-zµμ]+)$/i.exec(sound)?.[1];
  return word === undefined || unitExponent(word) === undefined ? undefined : word;
}
