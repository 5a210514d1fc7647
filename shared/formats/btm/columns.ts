/**
 * Assigns the columns of an export to bus signals.
 *
 * Titles are compared without case, blanks, `#`, `/`, `_` and bit ranges: `M/IO#`, `m_io` and `MIO` are equal. The range in a title
 * (`D[63:56]`) determines the bits of the column. Columns with adjacent ranges (`D[63:32]`, `D[31:0]`, or single pins) form one signal; the
 * ranges of the data bus may also have gaps (`D[63:59]`, `D[31:0]`). A mapping `NAME:COLUMN,..` takes precedence over the titles. COLUMN is
 * a title or the number of a column, counted from 1.
 */
import { fail, ok, type Result } from '../../base/result.ts';
import { lanesWithin, WHOLE_BUS } from './cycles.ts';

/** Role of a column. The pins of the cycle definition come first, in the order of their bits in `control`. */
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
  /** Roles of the columns, in order. */
  readonly roles: Uint8Array;
  readonly titles: readonly string[];
  /** Number of columns up to the last one with a role. Rows may leave out the columns after it. */
  readonly least: number;
  /** The header row as in the file, trimmed. */
  readonly header: string;
  /** The header was assumed, because neither the file nor the settings contain one. */
  readonly assumed: boolean;
  /** Lowest data bus bit of the only data column. Several data columns are placed by their own ranges. */
  readonly dataBit: number;
  /** Bits of the data bus that the data columns contain. */
  readonly dataBits: bigint;
  /** No title contains the range of the data bus, so a cell has as many bits as its digits, starting at bit 0. */
  readonly dataOpen: boolean;
  /** By column: the bits of a signal in this column if the signal has several columns. */
  readonly parts: readonly (BitRange | undefined)[];
  /** By byte enables: 1 if the data columns contain all requested bytes. */
  readonly lanes: Uint8Array;
  /** By column: minimum number of hexadecimal digits in complete cells of byte enables, address and data; 0 for other columns. */
  readonly digits: Uint8Array;
  /** The same if all cells have leading zeros, otherwise 0: cells with another number of digits are damaged. */
  readonly exactDigits: Uint8Array;
  /** Power of ten that converts the time column's unit to nanoseconds. */
  readonly timeExponent: number;
  /** Unit of the times: ns, or a unit in the title that is not a known unit of time. */
  readonly timeUnit: string;
  /** The title of the time column contains no unit. */
  readonly unitMissing: boolean;
  /** Number of bits by which the address column is shifted right; 0 if A3 is its bit 3. */
  readonly shift: number;
  /** Lowest pin of the address columns, 3 or 4. If it is 4, bit 3 of an address cell is not pin A3. */
  readonly lowestPin: number;
}

interface Signal {
  readonly role: Role;
  /** Name in mappings. */
  readonly name: string;
  /** Titles in upper case without signs. */
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

/** Separators, the most likely first. */
const SEPARATORS = ['\t', ';', ',', '|'] as const;

/** Bits that a signal of several columns must have, because an address with missing middle bits is useless. */
const WHOLE: readonly (readonly [Role, BitRange])[] = [
  [ROLE.enables, { high: 7, low: 0 }],
  [ROLE.address, { high: 31, low: 4 }],
];

/**
 * Returns the layout for a header row, the user's mapping of columns, the shift of the address, and the unit of times (`auto` takes that
 * of the title). Fails with one sentence.
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
      `btm finds no column for ${names} in the header '${header.slice(0, 200)}': assign it with columns=NAME:COLUMN,.. or set the header row with header=..`,
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
    exactDigits: new Uint8Array(titles.length),
    timeExponent: unitExponent(named ?? 'ns') ?? 0,
    timeUnit: named === undefined || unitExponent(named) !== undefined ? 'ns' : named,
    unitMissing: named === undefined,
    shift,
    lowestPin: shift > 0 ? shift : Math.max(3, pins?.low ?? 3),
  });
}

/**
 * Assigns columns to signals: the first column with a matching title, and all columns with adjacent bits, in any order. Single pins are
 * assigned last, because `D0` has other meanings. Columns of the data bus are also assigned if there is a gap, whose bits are unknown.
 */
function assign(titles: readonly string[]): Uint8Array {
  const roles = new Uint8Array(titles.length);
  const named = titles.map((title) => signalOf(title)?.role);
  const ranges = titles.map(bitRange);
  const dataPins = new Set(
    ranges.flatMap((range, column) => (named[column] === ROLE.data && isPin(range) ? [range!.low] : [])),
  );
  const assigned = new Map<Role, (BitRange | undefined)[]>(SIGNALS.map(({ role }) => [role, []]));
  for (const pass of ['wide', 'pins', 'apart'] as const) {
    // A column is assigned once a column with adjacent bits is assigned: a wide column may be next to a single pin.
    for (let more = true; more;) {
      more = false;
      named.forEach((role, column) => {
        if (role === undefined || roles[column] !== ROLE.ignored) return;
        const range = ranges[column];
        if (pass === 'wide' && isPin(range)) return;
        const taken = assigned.get(role)!;
        if (taken.length === MOST_COLUMNS) return;
        const joins = taken.length === 0 || (adjoins(range, taken) && !overlaps(range, taken));
        const isApart = pass === 'apart' && role === ROLE.data && liesApart(range, taken, dataPins);
        if (!joins && !isApart) return;
        roles[column] = role;
        taken.push(range);
        more = true;
      });
    }
  }
  return roles;
}

/** Maximum number of columns of a signal: the widest bus has this many pins. */
const MOST_COLUMNS = 64;

/** True if a range has data bus bits that no assigned column has. A single pin counts only next to others, if all columns are pins. */
function liesApart(
  range: BitRange | undefined,
  taken: readonly (BitRange | undefined)[],
  pins: ReadonlySet<number>,
): boolean {
  if (range === undefined || taken.includes(undefined) || overlaps(range, taken)) return false;
  return !isPin(range) || (taken.every(isPin) && (pins.has(range.low - 1) || pins.has(range.low + 1)));
}

function isPin(range: BitRange | undefined): boolean {
  return range !== undefined && range.high === range.low;
}

function isPart(roles: Uint8Array, column: number): boolean {
  const role = roles[column]!;
  return PARTED.has(role) && roles.indexOf(role) !== roles.lastIndexOf(role);
}

const PARTED: ReadonlySet<number> = new Set([ROLE.enables, ROLE.address, ROLE.data]);

/** True if the columns of a signal contain all of its bits. A single address column may lack upper bits, which are then 0. */
function isWhole(role: Role, roles: Uint8Array, titles: readonly string[]): boolean {
  const whole = WHOLE.find(([each]) => each === role)?.[1];
  const ranges = titles.filter((_, column) => roles[column] === role).map(bitRange);
  const union = unionOf(ranges);
  if (whole === undefined || union === undefined) return true;
  const mayLackTop = role === ROLE.address && ranges.length === 1;
  return union.low <= whole.low && (mayLackTop || union.high >= whole.high);
}

/** True if a range is directly adjacent to one of the others. */
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

/** Returns the data bus bits in any of the ranges; all bits if no range is known. */
function bitsOf(ranges: readonly (BitRange | undefined)[]): bigint {
  const known = ranges.filter((range) => range !== undefined);
  if (known.length === 0) return WHOLE_BUS;
  // A title may contain any bit numbers.
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

/** True if rows have the same meaning in both layouts, even if titles are spelled differently. */
export function isSameLayout(a: Layout, b: Layout): boolean {
  const key = ({ separator, roles, parts, dataBit, dataBits, timeExponent, lowestPin }: Layout): string =>
    [separator, roles, JSON.stringify(parts), dataBit, dataBits, timeExponent, lowestPin].join(' ');
  return key(a) === key(b);
}

/** Returns the number of required signals in a row of titles. */
export function signalsIn(header: string): number {
  const found = SEPARATORS.filter((separator) => header.includes(separator)).map((separator) => {
    const roles = splitTitles(header, separator).map((title) => signalOf(title)?.role);
    return SIGNALS.filter(({ role, needed }) => needed === true && roles.includes(role)).length;
  });
  return Math.max(0, ...found);
}

/** Number of signals that a capture must have. */
export const NEEDED_SIGNALS = SIGNALS.filter(({ needed }) => needed === true).length;

/** Returns the cells of a header row without quotes, trimmed. */
export function splitTitles(header: string, separator: string): readonly string[] {
  const text = header.replace(/^\uFEFF/, '').trim();
  const cells = (text.includes('"') ? splitQuoted(text, separator) : text.split(separator)).map((cell) => cell.trim());
  // A comment sign before the header is not part of the first title.
  cells[0] = cells[0]!.replace(/^(#|;|\/\/)\s*/, '');
  return cells;
}

/** Splits a row at the separators outside of quotes, and removes the quotes. */
function splitQuoted(text: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  return [...cells, cell];
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
        `btm cannot read columns=${mapping}: '${part.trim()}' is not NAME:COLUMN with NAME one of ${names}`,
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
      return fail('unknown-value', `btm cannot read columns=${mapping}: it contains ${signal.name} twice; remove one`);
    const [other] = [...mapped].find(([, taken]) => taken === column && column !== -1) ?? [];
    if (other !== undefined) {
      const both = `column '${wanted}' cannot be both ${other} and ${signal.name}`;
      return fail('unknown-value', `btm cannot read columns=${mapping}: ${both}; remove one`);
    }
    mapped.set(signal.name, column);
    roles.forEach((role, at) => {
      if (role === signal.role) roles[at] = ROLE.ignored;
    });
    if (column !== -1) roles[column] = signal.role;
  }
  return ok(undefined);
}

/** Returns a column by its exact title, by its title without signs, or by its number; -1 if there is none. */
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

/** Returns a title in upper case, without signs and without a trailing range or unit. */
function bare(title: string): string {
  return title
    .toUpperCase()
    .split(/[[(<{]/, 1)[0]!
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
    /(?<!\d)(\d+)#?\s*(?:[-:]|\.\.)\s*[A-Za-z]*(\d+)/.exec(title) ??
    /^[\W_]*(?:A|ADDR|D|DATA|BE)\W?((\d+))\W*$/i.exec(title);
  if (match === null) return undefined;
  const ends = [Number(match[1]), Number(match[2])];
  return { high: Math.max(...ends), low: Math.min(...ends) };
}

/** Returns the number of digits of a complete cell. An address also has digits for its lowest bits, although the pins do not exist. */
function cellDigits(role: Role, range: BitRange | undefined, shift: number): number {
  const top = HIGHEST_BIT.get(role);
  if (top === undefined) return 0;
  const { high, low } = range ?? { high: top, low: 0 };
  const lowest = role !== ROLE.address || low > 4 ? low : shift;
  return Math.ceil((high - lowest + 1) / 4);
}

/** Highest bit of the signals with hexadecimal cells. */
const HIGHEST_BIT: ReadonlyMap<Role, number> = new Map([
  [ROLE.enables, 7],
  [ROLE.address, 31],
  [ROLE.data, 63],
]);

const EXPONENTS: Readonly<Record<string, number>> = { PS: -3, NS: 0, US: 3, µS: 3, MS: 6, S: 9 };

/** Returns the power of ten that converts a unit of time to nanoseconds; undefined if it is not a known unit. */
export function unitExponent(unit: string): number | undefined {
  // In upper case the micro sign and the Greek letter mu are the same character.
  return EXPONENTS[unit.toUpperCase().replace(/^[\u039c\u00b5]S$/, 'US')];
}

/** Returns the unit in a title, which is in brackets or after a blank. */
function timeUnitIn(title: string): string | undefined {
  // The header was read as Latin-1, so a UTF-8 micro sign has two characters.
  const sound = title.replace(/\u00c2\u00b5|\u00ce\u00bc/, '\u00b5');
  const bracketed = /[[(<{]\s*([a-zµμ]+)\s*[\])>}]\s*$/i.exec(sound)?.[1];
  if (bracketed !== undefined) return bracketed;
  const word = /[ _/.,]([a-zµμ]+)$/i.exec(sound)?.[1];
  return word === undefined || unitExponent(word) === undefined ? undefined : word;
}
