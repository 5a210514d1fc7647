/**
 * The instructions of a program as its images have them: of all functions, and of other code that ran. A row each, in columns, because a
 * program may have a million.
 */
import { u32LittleEndian } from '../../../../shared/base/bytes.ts';
import { BRANCH, NO_BRANCH } from '../../../../shared/flow/events.ts';
import { highHalf, joinAddress, lowHalf } from '../../../../shared/base/units.ts';
import { ABSENT, createAddressMap } from '../../collections/address-map.ts';
import { moveColumns } from '../../collections/columns.ts';
import type { ImageCode, ImageInstruction } from '../../flow/classify/image-code.ts';
import type { Code, Images, NamedStretch } from '../../image/images.ts';
import { lastAtOrBefore } from '../../image/symbols.ts';

/** Sorts of instructions. `conditionalBranch` is the sum of both of its words. */
export const SORT = { plain: 0, conditional: 1, branch: 2, conditionalBranch: 3 } as const;

export interface ProgramCode {
  readonly count: number;
  readonly columns: CodeColumns;
  /** Returns the row of the instruction at an address, which it adds if an image has one; NO_ROW without. */
  rowAt(low: number, high: number): number;
  /** Disassembles the functions that contain an address, which `rowAt` would do at once. Yields often. Absent if all of them are. */
  ready?(address: bigint): Generator<undefined, void, undefined>;
}

/** The code of a program whose functions were all disassembled. */
export interface WholeCode extends ProgramCode {
  /** Rows before this one are those of functions; rows of other code that ran follow. */
  readonly ofFunctions: number;
}

/** The code of a program whose functions are disassembled when the first of their instructions is looked up. */
export interface CodeOnDemand extends ProgramCode {
  ready(address: bigint): Generator<undefined, void, undefined>;
  /** Returns the row of an instruction in a function that is disassembled, or outside of functions if it was looked up; NO_ROW without. */
  knownRow(low: number, high: number): number;
}

export const NO_ROW = -1;

interface CodeColumns {
  low: Uint32Array;
  high: Uint32Array;
  /** In bytes. */
  size: Uint8Array;
  /** A value of SORT. */
  sort: Uint8Array;
  /**
   * 1 if the instruction after it follows only when something comes back: a call, a return, an unconditional jump. A straight run goes on
   * behind an instruction that raises an exception, such as INT and SWI, once its handler has returned.
   */
  ends: Uint8Array;
  /** 1 if a trace that shows skipped instructions says whether its condition failed: conditional instructions of ARM, but for CBZ and CBNZ. */
  skips: Uint8Array;
}

/** Disassembles all functions of the images, each from its beginning. `texts`: gets the text of each row. */
export function* programCode(
  images: Images,
  code: ImageCode,
  texts?: string[],
): Generator<undefined, WholeCode, undefined> {
  const { list, disassemble, rowAt } = createRows(images, code, texts);
  for (const stretch of functionsOf(images)) yield* disassemble(stretch);
  return Object.assign(list, { ofFunctions: list.count, rowAt });
}

/** Returns the code of the images, of which nothing is disassembled so far. */
export function codeOnDemand(images: Images, code: ImageCode): CodeOnDemand {
  const { list, disassemble, rowAt, knownRow } = createRows(images, code);
  const functions = functionsOf(images);
  const starts = BigUint64Array.from(functions, ({ low }) => low);
  /** The highest end of a function and of all before it. */
  const ends = new BigUint64Array(functions.length);
  functions.forEach(({ high }, at) => (ends[at] = at > 0 && ends[at - 1]! > high - 1n ? ends[at - 1]! : high - 1n));
  const isKnown = new Uint8Array(functions.length);
  return Object.assign(list, { ready, knownRow, rowAt: rowOnDemand });

  function* ready(address: bigint): Generator<undefined, void, undefined> {
    const last = lastAtOrBefore(starts, address);
    let first = last + 1;
    while (first > 0 && ends[first - 1]! >= address) first--;
    for (let at = first; at <= last; at++) {
      if (isKnown[at] === 1 || functions[at]!.high <= address) continue;
      yield* disassemble(functions[at]!);
      isKnown[at] = 1;
    }
  }

  function rowOnDemand(low: number, high: number): number {
    const known = knownRow(low, high);
    if (known !== NO_ROW) return known;
    const work = ready(joinAddress(low, high));
    while (work.next().done !== true);
    return rowAt(low, high);
  }
}

/** Returns the stretches of the functions, by address. */
export function functionsOf(images: Images): readonly NamedStretch[] {
  return images.namesIn(0n, 1n << 64n).filter(({ kind }) => kind === 'function');
}

/** Instructions between two yields. */
const STEPS = 32;

function createRows(images: Images, code: ImageCode, texts?: string[]) {
  const columns = createColumns(1024);
  const rows = createAddressMap(1024);
  const list = { count: 0, columns };
  return { list, disassemble, rowAt, knownRow };

  /** Adds the rows of a function. Yields often. */
  function* disassemble({ low, high }: NamedStretch): Generator<undefined, void, undefined> {
    /** Instructions that an IT instruction of Thumb makes conditional. */
    let conditional = 0;
    // A symbol without a size may reach far beyond the bytes of its image.
    let steps = 0;
    for (let at = low; at < high && images.bytesAt(at, 1) !== undefined;) {
      if (steps++ % STEPS === 0) yield;
      const [itsLow, itsHigh] = [lowHalf(at), highHalf(at)];
      const read = code.at(itsLow, itsHigh, undefined);
      if (read === undefined) {
        conditional = 0;
        at += stepAt(images, at);
        continue;
      }
      if (rows.get(itsLow, itsHigh) === ABSENT) add(itsLow, itsHigh, read, conditional > 0);
      conditional = conditionalAfter(read.text, conditional);
      at += BigInt(read.size);
    }
  }

  function knownRow(low: number, high: number): number {
    const known = rows.get(low, high);
    return known === ABSENT ? NO_ROW : known;
  }

  function rowAt(low: number, high: number): number {
    const known = rows.get(low, high);
    if (known !== ABSENT) return known;
    const read = code.at(low, high, undefined);
    return read === undefined ? NO_ROW : add(low, high, read, false);
  }

  function add(low: number, high: number, read: ImageInstruction, inBlock: boolean): number {
    const row = list.count++;
    if (row === columns.low.length) moveColumns(columns, createColumns(2 * row));
    rows.set(low, high, row);
    texts?.push(read.text);
    columns.low[row] = low;
    columns.high[row] = high;
    columns.size[row] = read.size;
    const address = joinAddress(low, high);
    const bytes = images.bytesAt(address, 4);
    const place = images.codeAt(address);
    const isArm = place?.machine.arm === true;
    const isConditional = inBlock || hasCondition(read, place, bytes);
    const branches = read.branch !== NO_BRANCH && read.branch !== BRANCH.exception;
    columns.sort[row] = (branches ? SORT.branch : SORT.plain) + (isConditional ? SORT.conditional : SORT.plain);
    columns.ends[row] = Number(read.ends && !isConditional && read.branch !== BRANCH.exception);
    columns.skips[row] = Number(isConditional && isArm && !/^cbn?z\b/.test(read.text));
    return row;
  }
}

function createColumns(capacity: number): CodeColumns {
  return {
    low: new Uint32Array(capacity),
    high: new Uint32Array(capacity),
    size: new Uint8Array(capacity),
    sort: new Uint8Array(capacity),
    ends: new Uint8Array(capacity),
    skips: new Uint8Array(capacity),
  };
}

/** Bytes from something that is no instruction to the next place where one may begin. */
export function stepAt(images: Images, address: bigint): bigint {
  const code = images.codeAt(address);
  if (code === undefined || code.state === 'data') return code?.machine.arm === true ? 2n : 1n;
  const { isa, arm } = code.machine;
  if (arm) return code.state === 'arm' ? 4n : 2n;
  if (isa?.startsWith('riscv')) return 2n;
  return isa?.startsWith('x86') ? 1n : 4n;
}

/** IT makes up to four instructions conditional, one for each letter after the I (Arm ARM DDI 0406C, A8.8.54). */
function conditionalAfter(text: string, before: number): number {
  const block = /^i(t[te]{0,3})\b/.exec(text);
  return block === null ? Math.max(0, before - 1) : block[1]!.length;
}

/** Returns true if the instruction itself says on which condition it runs, or branches. */
function hasCondition(
  { branch, text }: ImageInstruction,
  code: Code | undefined,
  bytes: Uint8Array | undefined,
): boolean {
  if (code === undefined || bytes === undefined) return false;
  const { machine, state } = code;
  if (machine.arm && bytes.length >= 2 && machine.codeLittleEndian) {
    // ARM: the four highest bits (DDI 0406C, A8.3). 1111 is for instructions without a condition.
    if (state === 'arm') return bytes.length === 4 && u32LittleEndian(bytes, 0) >>> 28 < 14;
    return isConditionalThumb(bytes[0]! | (bytes[1]! << 8), (bytes[2] ?? 0) | ((bytes[3] ?? 0) << 8));
  }
  const mnemonic = /^\S+/.exec(text)?.[0] ?? '';
  if (machine.isa?.startsWith('x86')) return branch === BRANCH.jump && !/^(\w+ )*l?jmp/.test(text);
  if (machine.isa === 'aarch64') return /^(bc?\.|cbn?z$|tbn?z$)/.test(mnemonic);
  return branch === BRANCH.jump && /^(c\.)?b(?!c?$|alc?$)/.test(mnemonic);
}

/** B<c> T1 and T3, CBZ and CBNZ (DDI 0406C, A8.8.18 and A8.8.29). */
function isConditionalThumb(first: number, second: number): boolean {
  if ((first & 0xf000) === 0xd000) return (first & 0x0f00) < 0x0e00;
  if ((first & 0xf500) === 0xb100) return true;
  return (first & 0xf800) === 0xf000 && (second & 0xd000) === 0x8000 && ((first >> 6) & 0xf) < 14;
}
