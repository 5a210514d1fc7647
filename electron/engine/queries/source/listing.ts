/**
 * The static code of a program as rows: headings of functions, and instructions. Where the instructions begin is measured once for the whole
 * program, so that rows have numbers; what they are is disassembled for the requested rows, and for functions that ran.
 */
import type { Arguments } from '../../../../shared/requests/requests.ts';
import { INSTRUCTION_SORTS } from '../../../../shared/requests/answers/coverage.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { CodeHeading, CodePart, CodeRow } from '../../../../shared/requests/source/answers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, joinAddress, lowHalf, toHex } from '../../../../shared/base/units.ts';
import { isaOf, type ImageCode } from '../../flow/classify/image-code.ts';
import { MOST_INSTRUCTION_BYTES } from '../../image/capstone.ts';
import { loadDisassembler, type Disassembler } from '../../image/disassembler.ts';
import type { Images } from '../../image/images.ts';
import { namesOf } from '../../image/names/shown-name.ts';
import { lastAtOrBefore, type SymbolHit } from '../../image/symbols.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { executedIn, type Executed } from '../coverage/coverage.ts';
import type { ExecutedCode } from '../coverage/executed-code.ts';
import { createTraitsReader } from '../coverage/instruction-traits.ts';
import { codeOnDemand, functionsOf, NO_ROW, SORT, stepAt, type CodeOnDemand } from '../coverage/program-code.ts';
import { rowWith } from './counts.ts';
import { codeOf, describeInstruction, type InstructionFacts } from './describe.ts';
import { keptPerRange } from './per-range.ts';

/** The instructions of a program, ascending. */
interface Measured {
  readonly addresses: BigUint64Array;
  readonly sizes: Uint8Array;
  /** Instructions before which a heading is, and where the function begins that it names. */
  readonly headings: Uint32Array;
  readonly functions: BigUint64Array;
}

interface Listing extends Measured {
  readonly code: CodeOnDemand;
  readonly executed: ExecutedCode;
  /** The largest count of an instruction. */
  readonly most: number;
  readonly notes: readonly string[];
}

/** The code of images: what was measured and disassembled does not depend on a range. */
interface Known {
  readonly code: CodeOnDemand;
  measured?: Measured;
}
const knownOf = new WeakMap<Images, Known>();

const listingIn = keptPerRange(async (trace, range, task): Promise<Result<Listing>> => {
  const executed = await executedIn(trace, range, task);
  if (!executed.ok) return executed;
  return answerInSlices(listed(trace, await loadDisassembler(), executed.value), task);
});

/** Fails as `coverage` does. */
export async function code(
  trace: Trace,
  args: Omit<Arguments<'code'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CodePart>> {
  const { from, to } = args;
  const found = await listingIn(trace, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, task);
  if (!found.ok) return found;
  return answerInSlices(partOf(trace, await codeOf(trace), found.value, args), task);
}

function* partOf(
  trace: Trace,
  images: ImageCode,
  listing: Listing,
  { first, address, count }: Pick<Arguments<'code'>, 'first' | 'address' | 'count'>,
): Generator<undefined, Result<CodePart>, undefined> {
  const { addresses, sizes, headings, most, notes } = listing;
  const total = addresses.length + headings.length;
  const rowOf = (its: bigint): number | undefined => {
    const at = rowWith(addresses, sizes, its);
    return at < 0 ? undefined : at + headingsUpTo(headings, at);
  };
  const row = address === undefined ? undefined : rowOf(BigInt(address));
  const start = Math.min(first ?? Math.max(0, (row ?? 0) - (count >>> 1)), total);
  const rows: CodeRow[] = [];
  for (let at = start; at < Math.min(total, start + count); at++) {
    const heading = headingAtOrBefore(headings, at);
    if (heading >= 0 && headings[heading]! + heading === at) rows.push(headingOf(trace, listing, heading));
    else {
      const facts = yield* factsOf(trace, listing, at - heading - 1);
      rows.push(describeInstruction(trace, images, facts, rowOf));
    }
  }
  return ok({ total, first: start, rows, ...(row !== undefined && { row }), most, notes, reach: reachOf(trace) });
}

/** Returns the number of headings before an instruction. */
function headingsUpTo(headings: Uint32Array, instruction: number): number {
  return search(headings.length, (heading) => headings[heading]! <= instruction);
}

/** Returns the last heading that is not behind a row; -1 without one. */
function headingAtOrBefore(headings: Uint32Array, row: number): number {
  return search(headings.length, (heading) => headings[heading]! + heading <= row) - 1;
}

/** Returns how many of the numbers below `count` have a property that only the first of them have. */
function search(count: number, has: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (has(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* factsOf(
  { images }: Trace,
  { code: program, executed, addresses, sizes }: Listing,
  at: number,
): Generator<undefined, InstructionFacts, undefined> {
  const address = addresses[at]!;
  yield* program.ready(address);
  const row = program.rowAt(lowHalf(address), highHalf(address));
  const place = images.lineAt(address);
  const { sort: sorts, skips } = program.columns;
  const sort = row === NO_ROW ? SORT.plain : sorts[row]!;
  // The columns end before instructions that were disassembled later, of functions that never ran.
  const skipped = executed.skipped[row] ?? (executed.showsSkipped && skips[row] === 1 ? 0 : Number.NaN);
  const isBranch = sort >= SORT.branch;
  return {
    address,
    size: sizes[at]!,
    count: executed.counts[row] ?? 0,
    sort: INSTRUCTION_SORTS[sort]!,
    skipped: Number.isNaN(skipped) ? undefined : skipped,
    taken: isBranch ? (executed.taken[row] ?? 0) : undefined,
    notTaken: isBranch ? (executed.passed[row] ?? 0) : undefined,
    ...(place && { file: place.file, line: place.line }),
  };
}

function headingOf({ images }: Trace, listing: Listing, heading: number): CodeHeading {
  const { addresses, headings, functions } = listing;
  const start = functions[heading]!;
  let [covered, total] = [0, 0];
  // A function can continue behind one that lies inside it.
  for (let part = 0; part < functions.length; part++) {
    if (functions[part] !== start) continue;
    const end = headings[part + 1] ?? addresses.length;
    for (
      let at = headings[part]!;
      at < end && ownerOf(images.symbolAt(addresses[at]!), addresses[at]!) === start;
      at++
    ) {
      total++;
      if (countAt(listing, addresses[at]!) > 0) covered++;
    }
  }
  const hit = images.symbolAt(addresses[headings[heading]!]!);
  return {
    heading: hit === undefined ? '' : namesOf(hit.symbol).name,
    address: toHex(start),
    count: countAt(listing, start),
    instructions: { covered, total },
  };
}

function countAt({ code: program, executed }: Listing, address: bigint): number {
  return executed.counts[program.knownRow(lowHalf(address), highHalf(address))] ?? 0;
}

function* listed(
  { images }: Trace,
  disassembler: Disassembler,
  executed: Executed,
): Generator<undefined, Result<Listing>, undefined> {
  let known = knownOf.get(images);
  if (known === undefined)
    knownOf.set(images, (known = { code: codeOnDemand(images, createTraitsReader(disassembler)) }));
  const { code: program } = known;
  known.measured ??= yield* measured(images, disassembler);
  const notes: string[] = [];
  const ran = yield* executed(program, notes);
  let most = 0;
  const { addresses } = known.measured;
  const others: bigint[] = [];
  for (let row = 0; row < ran.counts.length; row++) {
    if (row % STEP === 0) yield;
    most = Math.max(most, ran.counts[row]!);
    if (ran.counts[row] === 0 && ran.taken[row] === 0) continue;
    const address = joinAddress(program.columns.low[row]!, program.columns.high[row]!);
    if (addresses[lastAtOrBefore(addresses, address)] !== address) others.push(address);
  }
  const all = others.length === 0 ? known.measured : yield* joined(images, program, known.measured, others);
  return ok({ ...all, code: program, executed: ran, most, notes });
}

/** Rows between two yields. */
const STEP = 256;

/** Measures the functions of the images. */
function* measured(images: Images, { sizes: sizesOf }: Disassembler): Generator<undefined, Measured, undefined> {
  const starts: bigint[] = [];
  const all: number[] = [];
  const into = new Uint8Array(1024);
  let isAscending = true;
  let last = -1n;
  for (const { low, high } of functionsOf(images)) {
    // A symbol without a size may reach far beyond the bytes of its image.
    for (let at = low; at < high && images.bytesAt(at, 1) !== undefined;) {
      yield;
      const place = images.codeAt(at);
      const isa = isaOf(place, undefined);
      const end = images.codeLength(at, high - at < into.length ? Number(high - at) : into.length);
      const bytes = images.bytesAt(at, end + MOST_INSTRUCTION_BYTES - 1);
      const littleEndian = place?.machine.codeLittleEndian ?? true;
      const count = isa && bytes ? sizesOf({ isa, bytes, littleEndian, address: at }, end, into) : 0;
      const stop = at + BigInt(end);
      for (let one = 0; one < count; one++) {
        isAscending &&= at > last;
        last = at;
        starts.push(at);
        all.push(into[one]!);
        at += BigInt(into[one]!);
      }
      if (isa === undefined && at < stop) at = stop;
      else if (at < stop) at += stepAt(images, at);
    }
  }
  const order = isAscending ? undefined : distinctOrder(starts);
  const addresses = BigUint64Array.from(order?.map((at) => starts[at]!) ?? starts);
  const sizes = Uint8Array.from(order?.map((at) => all[at]!) ?? all);
  return { addresses, sizes, ...(yield* headingsOf(images, addresses)) };
}

/** Returns the indexes of distinct addresses by address: functions that lie in others were measured twice. */
function distinctOrder(starts: readonly bigint[]): readonly number[] {
  const order = [...starts.keys()].sort((a, b) => (starts[a]! < starts[b]! ? -1 : Number(starts[a]! > starts[b]!)));
  return order.filter((at, k) => k === 0 || starts[at] !== starts[order[k - 1]!]);
}

/** Adds instructions outside of functions. */
function* joined(
  images: Images,
  { columns, knownRow }: CodeOnDemand,
  { addresses, sizes }: Measured,
  others: readonly bigint[],
): Generator<undefined, Measured, undefined> {
  const all = new BigUint64Array(addresses.length + others.length);
  all.set(addresses);
  all.set(others, addresses.length);
  all.sort();
  const allSizes = new Uint8Array(all.length);
  for (let at = 0, own = 0; at < all.length; at++) {
    if (at % STEP === 0) yield;
    const address = all[at]!;
    allSizes[at] =
      addresses[own] === address ? sizes[own++]! : columns.size[knownRow(lowHalf(address), highHalf(address))]!;
  }
  return { addresses: all, sizes: allSizes, ...(yield* headingsOf(images, all)) };
}

/** Finds where the functions of instructions change: only at ends of names. */
function* headingsOf(
  images: Images,
  addresses: BigUint64Array,
): Generator<undefined, Pick<Measured, 'headings' | 'functions'>, undefined> {
  const ends = BigUint64Array.from(images.namesIn(0n, 1n << 64n).flatMap(({ low, high }) => [low, high])).sort();
  const headings: number[] = [];
  const functions: bigint[] = [];
  let before: bigint | undefined;
  for (let at = 0, next = 0; at < addresses.length; at++) {
    if (at % STEP === 0) yield;
    const address = addresses[at]!;
    if (at > 0 && (next === ends.length || address < ends[next]!)) continue;
    while (next < ends.length && ends[next]! <= address) next++;
    const owner = ownerOf(images.symbolAt(address), address);
    if (owner !== undefined && owner !== before) {
      headings.push(at);
      functions.push(owner);
    }
    before = owner;
  }
  return { headings: Uint32Array.from(headings), functions: BigUint64Array.from(functions) };
}

/** Returns the address at which the symbol of an address begins. */
function ownerOf(hit: SymbolHit | undefined, address: bigint): bigint | undefined {
  return hit && address - hit.offset;
}
