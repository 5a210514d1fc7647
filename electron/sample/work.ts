/**
 * Chooses the next work of the program and its data, which decides how far the data of the trace is spread.
 *
 * `spread`: the heap grows with the bytes of trace written, so that 1 GB of trace touches about 147 MB of distinct lines
 * and 4 GB about 414 MB, whatever the format; older data is used again, the newer the likelier. `local`: the same few
 * pages again and again. `none`: no data of its own, the program strews its accesses over 1 GiB.
 */
import { HEAP_BASE, HEAP_BYTES, HEAP_RING } from './layout.ts';
import type { Memory } from './memory.ts';
import type { Locality, Program } from './program.ts';
import type { Random } from './random.ts';

export interface Work {
  /** Address and bytes of the data; with locality `none` an odd number and turns. */
  base: number;
  bytes: number;
  value: number;
  /** Index in the table of functions. */
  task: number;
  /** The data is new to the program. */
  fresh: boolean;
}

/** Fills `work` with the next piece, given how many bytes of trace are written. */
export type Dispatch = (work: Work, written: number) => void;

export function createDispatch(program: Program, memory: Memory, random: Random, locality: Locality): Dispatch {
  switch (locality) {
    case 'spread':
      return spread(program, memory, random);
    case 'local':
      return local(program, random);
    case 'none':
      return none(program, random);
  }
}

const GB = 1e9;
/** Bytes of trace and of heap in use by then; in between on a straight line, after the last one nothing is added. */
const GROWTH: readonly (readonly [trace: number, heap: number])[] = [
  [0, 0],
  [GB, 0.145 * GB],
  [4 * GB, 0.412 * GB],
  [32 * GB, 1.6 * GB],
  [64 * GB, 2.1 * GB],
];

function heapWanted(written: number): number {
  for (let k = 1; k < GROWTH.length; k++) {
    const [from, low] = GROWTH[k - 1]!;
    const [to, high] = GROWTH[k]!;
    if (written < to)
      return low + Math.floor(((high - low) / 1000) * Math.floor((written - from) / ((to - from) / 1000)));
  }
  return Math.min(GROWTH.at(-1)![1], HEAP_BYTES);
}

/** Arenas that are still remembered, a ring. */
const ARENAS = 4096;
const LARGEST = 65536;

function spread(program: Program, memory: Memory, random: Random): Dispatch {
  const bases = new Float64Array(ARENAS);
  const sizes = new Float64Array(ARENAS);
  let newest = 0;
  let top = 0;
  const phase = createPhase(program, random);

  return (work, written) => {
    work.value = random.below(65536);
    work.fresh = newest === 0 || top < heapWanted(written);
    if (work.fresh) {
      work.bytes = random.pick([4096, 8192, 8192, 16384, 16384, 32768, LARGEST]);
      work.base = HEAP_BASE + top;
      work.task = random.below(program.firstTouch);
      bases[newest % ARENAS] = work.base;
      sizes[newest % ARENAS] = work.bytes;
      memory.fill(work.base, work.bytes, random.next());
      top += work.bytes;
      newest++;
      return;
    }
    // The square of a fraction prefers what is new, but nothing that could be overwritten soon is used.
    const kept = Math.min(newest, ARENAS);
    let back = Math.floor((random.below(1024) * random.below(1024) * kept) / 1048576);
    if (bases[(newest - 1 - back) % ARENAS]! - HEAP_BASE < top - HEAP_RING + 2 * LARGEST) back = 0;
    const arena = (newest - 1 - back) % ARENAS;
    work.bytes = random.pick([512, 1024, 1024, 2048, 4096]);
    work.base = bases[arena]! + work.bytes * random.below(sizes[arena]! / work.bytes);
    work.task = program.firstTouch + phase();
  };
}

function local(program: Program, random: Random): Dispatch {
  const phase = createPhase(program, random);
  return (work) => {
    work.value = random.below(65536);
    work.bytes = random.pick([512, 1024, 2048]);
    work.base = HEAP_BASE + work.bytes * random.below(65536 / work.bytes);
    work.fresh = false;
    work.task = program.firstTouch + phase();
  };
}

function none(program: Program, random: Random): Dispatch {
  const phase = createPhase(program, random);
  return (work) => {
    work.value = random.below(65536);
    work.bytes = random.between(16, 256);
    work.base = random.next() | 1;
    work.fresh = false;
    work.task = program.firstTouch + phase();
  };
}

/** Programs have phases: for a while a few functions do nearly all the work. */
function createPhase(program: Program, random: Random): () => number {
  const few = Math.min(8, program.tasks);
  let left = 0;
  let low = 0;
  return () => {
    if (left-- === 0) {
      left = random.between(50, 400);
      low = random.below(program.tasks - few + 1);
    }
    return random.chance(9, 10) ? low + random.below(few) : random.below(program.tasks);
  };
}
