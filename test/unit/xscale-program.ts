/**
 * Programs of ARM and Thumb code and their execution, for tests of trace buffers: each program knows the successors of every
 * instruction, and a run records every executed instruction. Encodings are written by hand from the ARM Architecture Reference Manual
 * (DDI 0100I) and share nothing with the reader.
 */
import type { Random } from '../laws/random.ts';

export type Kind = 'call' | 'return' | 'jump';

/** One instruction, and how a run continues from it. */
export interface Line {
  readonly address: number;
  readonly thumb: boolean;
  readonly word: number;
  readonly does:
    | { readonly way: 'on'; readonly memory?: boolean; readonly half?: boolean }
    /** Reported as a direct branch. */
    | {
        readonly way: 'direct';
        readonly maybe: boolean;
        readonly kind: Kind;
        readonly to: number;
        readonly back?: number;
      }
    /** Reported with its target; `to` if the instruction encodes it, else any of `among`, or the caller. */
    | {
        readonly way: 'indirect';
        readonly maybe: boolean;
        readonly kind: Kind;
        readonly among: readonly Place[] | 'caller' | 'interrupted';
        readonly back?: number;
        readonly loads?: boolean;
      }
    | { readonly way: 'swi' }
    | { readonly way: 'undefined' };
}

export interface Place {
  readonly address: number;
  readonly thumb: boolean;
}

export interface Program {
  readonly lines: ReadonlyMap<number, Line>;
  /** Code by address. */
  readonly segments: readonly { readonly address: number; readonly bytes: Uint8Array }[];
  /** Start of code in one instruction set. */
  readonly marks: readonly (Place & { readonly end: number })[];
  readonly start: Place;
  readonly base: number;
}

/** An executed instruction, or an exception. */
export type Event =
  | { readonly what: 'ran'; readonly line: Line; readonly to: Place | undefined }
  | { readonly what: 'exception'; readonly vector: number; readonly line: Line | undefined; readonly counted: boolean };

const ALWAYS = 14;

/** @param thumb how many of ten functions are Thumb code */
export function createProgram(random: Random, thumb: number, base: 0 | 0xffff0000 = 0): Program {
  const lines = new Map<number, Line>();
  const marks: (Place & { end: number })[] = [];
  const functions = Array.from({ length: 6 }, (_, i) => ({
    address: 0x8000 + 0x1000 * i,
    thumb: i > 0 && random.below(10) < thumb,
    blocks: [] as Place[],
  }));
  const handlers = [4, 8, 0xc, 0x10, 0x18, 0x1c].map((vector, i) => ({ vector, address: 0x20000 + 0x400 * i }));
  const entry = (i: number): Place => ({ address: functions[i]!.address, thumb: functions[i]!.thumb });
  const add = (line: Line): number => {
    lines.set(line.address, line);
    return line.address + (line.thumb ? 2 : 4);
  };
  const plain = (at: number, isThumb: boolean): number => add(plainLine(random, at, isThumb));

  for (const own of functions) {
    const size = own.thumb ? 2 : 4;
    // Blocks have room for their longest content, so that their addresses are known before they are written.
    const room = 64 * size;
    own.blocks.push(...Array.from({ length: 6 }, (_, b) => ({ address: own.address + b * room, thumb: own.thumb })));
    own.blocks.forEach((block, b) => {
      let at = block.address;
      for (let parts = 1 + random.below(3); parts > 0; parts--) {
        for (let many = random.below(random.below(4) === 0 ? 18 : 6); many > 0; many--) at = plain(at, own.thumb);
        at = branch(at);
      }
      const next = own.blocks[b + 1];
      if (next === undefined || random.below(3) === 0) {
        if (next === undefined && random.below(2) === 0) add(returnLine(random, at, own.thumb, false));
        else add(jumpLine(random, at, own.thumb, own.blocks[random.below(own.blocks.length)]!.address, false));
        if (next === undefined && random.below(2) === 0) add(returnLine(random, at, own.thumb, false));
      } else {
        while (at < next.address) at = plain(at, own.thumb);
      }
    });
    marks.push({ address: own.address, thumb: own.thumb, end: own.address + 6 * room });

    function branch(at: number): number {
      const target = own.blocks[random.below(own.blocks.length)]!.address;
      const same = functions.filter((each) => each.thumb === own.thumb && each !== own);
      const other = functions.filter((each) => each.thumb !== own.thumb);
      const callee = same[random.below(same.length)];
      const stranger = other[random.below(other.length)];
      switch (random.below(own.thumb ? 9 : 10)) {
        case 0:
        case 1:
          return add(jumpLine(random, at, own.thumb, target, true));
        case 2:
        case 3:
          if (callee === undefined) return plain(at, own.thumb);
          if (!own.thumb) return add(armCall(random, at, callee.address));
          return thumbCall(at, callee.address, false).reduce((_, line) => add(line), at);
        case 4:
          if (stranger === undefined) return plain(at, own.thumb);
          if (!own.thumb) return add(armExchange(at, stranger.address));
          at = at % 4 === 0 ? at : plain(at, true);
          return thumbCall(at, stranger.address, true).reduce((_, line) => add(line), at);
        case 5:
          return add(
            registerCall(
              random,
              at,
              own.thumb,
              functions.map((_, i) => entry(i)),
            ),
          );
        case 6:
          return add(computedJump(random, at, own.thumb, own.blocks));
        case 7:
          return add(returnLine(random, at, own.thumb, true));
        case 8:
          return add(trapLine(random, at, own.thumb));
        default: {
          // MOV LR, PC; then a branch that is a call for it.
          at = add({ address: at, thumb: false, word: 0xe1a0e00f, does: { way: 'on' } });
          return add(
            registerJump(
              random,
              at,
              functions.map((_, i) => entry(i)),
            ),
          );
        }
      }
    }
  }
  for (const { vector, address } of handlers) {
    add({
      address: (base + vector) >>> 0,
      thumb: false,
      word: armBranch(ALWAYS, false, base + vector, address),
      does: { way: 'direct', maybe: false, kind: 'jump', to: address },
    });
    let at = address;
    for (let many = random.below(5); many > 0; many--) at = plain(at, false);
    const callee = functions[random.below(functions.length)]!;
    if (random.below(2) === 0 && !callee.thumb) at = add(armCall(random, at, callee.address));
    // SUBS PC, LR, #4; MOVS PC, LR; LDMFD SP!, {R0, PC}^
    const word = [0xe25ef004, 0xe1b0f00e, 0xe8fd8001][random.below(3)]!;
    add({
      address: at,
      thumb: false,
      word,
      does: { way: 'indirect', maybe: false, kind: 'return', among: 'interrupted', loads: word === 0xe8fd8001 },
    });
    marks.push({ address, thumb: false, end: at + 4 });
  }
  marks.push({ address: base, thumb: false, end: base + 0x20 });
  return { lines, segments: segmentsOf(lines), marks, start: entry(0), base };
}

function segmentsOf(lines: ReadonlyMap<number, Line>): Program['segments'] {
  const pages = new Map<number, Uint8Array>();
  for (const { address, thumb, word } of lines.values()) {
    const page = Math.floor(address / 0x400) * 0x400;
    const bytes = pages.get(page) ?? new Uint8Array(0x400);
    pages.set(page, bytes);
    for (let i = 0; i < (thumb ? 2 : 4); i++) bytes[address - page + i] = (word >>> (8 * i)) & 255;
  }
  return [...pages].map(([address, bytes]) => ({ address, bytes }));
}

function plainLine(random: Random, address: number, thumb: boolean): Line {
  const plain = thumb
    ? // ADD, CMP, LSL, MUL, MOV of high registers, ADD SP
      [0x1840, 0x2a05, 0x0049, 0x4348, 0x46a0, 0xb002]
    : // ADD, CMPNE, MUL, MRS, TEQ, MCR, a shift, CLZ
      [0xe0811002, 0x13520005, 0xe0010392, 0xe10f1000, 0xe1310002, 0xee070f15, 0xe1a01102, 0xe16f1f12];
  const memory = thumb
    ? // LDR, STR, LDR literal, PUSH, POP without PC, STMIA
      [0x6848, 0x9001, 0x4a03, 0xb510, 0xbc10, 0xc10c]
    : // LDR, STRH, LDMFD without PC, SWP, STR with PC, LDRB
      [0xe5912004, 0xe1c120b2, 0xe8bd4010, 0xe1012092, 0xe58df004, 0xe5d12001];
  const moves = random.below(3) === 0;
  const words = moves ? memory : plain;
  return { address, thumb, word: words[random.below(words.length)]!, does: { way: 'on', memory: moves } };
}

function armBranch(condition: number, links: boolean, from: number, to: number): number {
  const words = (to - from - 8) / 4;
  return ((condition << 28) | 0x0a000000 | (links ? 0x01000000 : 0) | (words & 0xffffff)) >>> 0;
}

/** B, with a condition if it may not be taken. */
function jumpLine(random: Random, address: number, thumb: boolean, to: number, maybe: boolean): Line {
  const condition = maybe ? random.below(14) : ALWAYS;
  const halves = (to - address - 4) / 2;
  const near = halves >= -128 && halves < 128;
  if (thumb && maybe && !near) return plainLine(random, address, true);
  const word = thumb
    ? maybe
      ? 0xd000 | (condition << 8) | (halves & 255)
      : 0xe000 | (halves & 0x7ff)
    : armBranch(condition, false, address, to);
  return { address, thumb, word, does: { way: 'direct', maybe, kind: 'jump', to } };
}

function armCall(random: Random, address: number, to: number): Line {
  const maybe = random.below(4) === 0;
  const word = armBranch(maybe ? random.below(14) : ALWAYS, true, address, to);
  return { address, thumb: false, word, does: { way: 'direct', maybe, kind: 'call', to, back: address + 4 } };
}

/** BLX with an immediate target. */
function armExchange(address: number, to: number): Line {
  const distance = to - address - 8;
  const word = (0xfa000000 | (distance % 4 === 0 ? 0 : 0x01000000) | (Math.floor(distance / 4) & 0xffffff)) >>> 0;
  const among = [{ address: to, thumb: true }];
  return {
    address,
    thumb: false,
    word,
    does: { way: 'indirect', maybe: false, kind: 'call', among, back: address + 4 },
  };
}

/** The two halves of BL or BLX. */
function thumbCall(address: number, to: number, exchange: boolean): readonly [Line, Line] {
  const distance = to - (address + 4);
  const high = Math.floor(distance / 4096) & 0x7ff;
  const low = (distance & 0xfff) >> 1;
  const first: Line = { address, thumb: true, word: 0xf000 | high, does: { way: 'on', half: true } };
  const at = { address: address + 2, thumb: true, word: (exchange ? 0xe800 : 0xf800) | low };
  const back = address + 4;
  return exchange
    ? [
        first,
        { ...at, does: { way: 'indirect', maybe: false, kind: 'call', among: [{ address: to, thumb: false }], back } },
      ]
    : [first, { ...at, does: { way: 'direct', maybe: false, kind: 'call', to, back } }];
}

/** BLX with a register. */
function registerCall(random: Random, address: number, thumb: boolean, among: readonly Place[]): Line {
  const maybe = !thumb && random.below(4) === 0;
  const word = thumb ? 0x4798 : ((maybe ? random.below(14) : ALWAYS) << 28) | 0x012fff33;
  const back = address + (thumb ? 2 : 4);
  return { address, thumb, word: word >>> 0, does: { way: 'indirect', maybe, kind: 'call', among, back } };
}

/** BX R3 or LDR PC, [R3] after MOV LR, PC. */
function registerJump(random: Random, address: number, among: readonly Place[]): Line {
  const word = [0xe12fff13, 0xe593f000][random.below(2)]!;
  const loads = word === 0xe593f000;
  return {
    address,
    thumb: false,
    word,
    does: { way: 'indirect', maybe: false, kind: 'call', among, back: address + 4, loads },
  };
}

function computedJump(random: Random, address: number, thumb: boolean, among: readonly Place[]): Line {
  // ADDLS PC, PC, R3, LSL #2; LDR PC, [R4, R3]; MOV PC, R3; MOV PC, R3 in Thumb code
  const words = thumb ? [0x469f] : [0x908ff103, 0xe794f003, 0xe1a0f003];
  const word = words[random.below(words.length)]!;
  const maybe = word === 0x908ff103;
  return {
    address,
    thumb,
    word,
    does: { way: 'indirect', maybe, kind: 'jump', among, loads: word === 0xe794f003 },
  };
}

function returnLine(random: Random, address: number, thumb: boolean, maybe: boolean): Line {
  // BX LR; LDMFD SP!, {R4, PC}; LDR PC, [SP], #4 and in Thumb code BX LR; POP {R4, PC}
  const words = thumb ? [0x4770, 0xbd10] : [0xe12fff1e, 0xe8bd8010, 0xe49df004];
  const word = words[random.below(words.length)]!;
  if (thumb && maybe) return plainLine(random, address, true);
  const conditioned = maybe ? ((word & 0x0fffffff) | (random.below(14) << 28)) >>> 0 : word;
  const loads = [0xe8bd8010, 0xe49df004, 0xbd10].includes(word);
  return {
    address,
    thumb,
    word: conditioned,
    does: { way: 'indirect', maybe, kind: 'return', among: 'caller', loads },
  };
}

function trapLine(random: Random, address: number, thumb: boolean): Line {
  const swi = random.below(2) === 0;
  const word = swi ? (thumb ? 0xdf42 : 0xef000042) : thumb ? 0xde01 : 0xe7f000f0;
  return { address, thumb, word, does: { way: swi ? 'swi' : 'undefined' } };
}

/** Exceptions per thousand instructions. */
export interface Troubles {
  readonly interrupts: number;
  readonly aborts: number;
  /** Nothing interrupts a Thumb call between its halves. */
  readonly wholeCalls?: boolean;
}

/** Runs up to `instructions` instructions of a program; chance decides everything that depends on data. */
export function runProgram(
  program: Program,
  random: Random,
  instructions: number,
  troubles: Troubles,
): readonly Event[] {
  const events: Event[] = [];
  const calls: Place[] = [];
  const interrupted: (Place & { readonly depth: number })[] = [];
  let { address, thumb } = program.start;
  /** The first half of a Thumb call ran last. */
  let inCall = false;
  const except = (vector: number, back: Place, line: Line | undefined, counted: boolean): void => {
    events.push({ what: 'exception', vector, line, counted });
    interrupted.push({ ...back, depth: calls.length });
    address = (program.base + vector) >>> 0;
    thumb = false;
  };
  for (let ran = 0; ran < instructions; ran++) {
    const here = { address, thumb };
    const line = program.lines.get(address);
    if (line?.thumb !== thumb) throw new Error(`there is no code at ${address.toString(16)}`);
    const quiet = interrupted.length > 1 || (inCall && troubles.wholeCalls === true);
    if (!quiet && random.below(1000) < troubles.interrupts) {
      except(random.below(4) === 0 ? 0x1c : 0x18, here, undefined, true);
      continue;
    }
    if (!quiet && random.below(1000) < troubles.aborts) {
      // No instruction ran.
      except(0xc, here, undefined, true);
      continue;
    }
    const { does } = line;
    inCall = does.way === 'on' && does.half === true;
    const next = { address: address + (thumb ? 2 : 4), thumb };
    const moves = does.way === 'on' ? does.memory === true : does.way === 'indirect' && does.loads === true;
    if (!quiet && moves && random.below(1000) < 10 * troubles.aborts) {
      const counted = does.way === 'on';
      if (counted) events.push({ what: 'ran', line, to: undefined });
      except(0x10, next, counted ? undefined : line, counted);
      // Aborted branches are repeated, so their successor is not recorded here.
      if (!counted) interrupted[interrupted.length - 1] = { ...here, depth: calls.length };
      continue;
    }
    if (does.way === 'swi' || does.way === 'undefined') {
      if (quiet) {
        // A third nesting level is left out as if the condition had failed; the instruction has none, so the run ends here.
        return events;
      }
      except(does.way === 'swi' ? 8 : 4, next, line, false);
      continue;
    }
    if (does.way === 'on' || (does.maybe && random.below(3) === 0)) {
      events.push({ what: 'ran', line, to: undefined });
      ({ address } = next);
      continue;
    }
    const to = does.way === 'direct' ? { address: does.to, thumb } : chooseTarget(does.among);
    if (does.back !== undefined && calls.length < 200) calls.push({ address: does.back, thumb });
    events.push({ what: 'ran', line, to });
    ({ address, thumb } = to);
  }
  return events;

  function chooseTarget(among: readonly Place[] | 'caller' | 'interrupted'): Place {
    if (among === 'interrupted') {
      const back = interrupted.pop() ?? { ...program.start, depth: 0 };
      calls.length = Math.min(calls.length, back.depth);
      return back;
    }
    // A handler returns from its own calls, not from the interrupted function.
    if (among === 'caller') return calls.pop() ?? program.start;
    return among[random.below(among.length)]!;
  }
}
