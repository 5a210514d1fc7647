/**
 * Finds what decided that an instruction was reached: the newest conditional or indirect branch before it in its own call or, if there is
 * none, in an outer one. Whether another outcome would have avoided the instruction is not known, so the answer is inferred.
 */
import { ok } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Steps } from '../../threads/in-slices.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { codeOf, codeWith, opcodesWith, rowsUpTo, type Opcode } from './code-parts.ts';
import type { Found, Search } from './last-definition.ts';

/** Blocks that are searched. */
const MOST_BLOCKS = 64;

/** Known parts that are passed before other requests are served. */
const PASSED_AT_ONCE = 64;

/** Kinds of branches in a part. `calls` also stands for exceptions and traps. */
interface Branches {
  readonly returns: boolean;
  readonly calls: boolean;
  readonly decides: boolean;
}

const branchesIn = cachePer((): { known?: Branches } => ({}));

/** Returns true if nothing in a part with these opcodes changes a walk that is inside of so many calls. */
function mayPass(numbers: Uint32Array, opcodes: readonly Opcode[], inside: number): boolean {
  const { returns, calls, decides } = (branchesIn(numbers).known ??= findBranches(numbers, opcodes));
  return !returns && (inside > 0 ? !calls : !decides);
}

function findBranches(numbers: Uint32Array, opcodes: readonly Opcode[]): Branches {
  const all = Array.from(numbers, (number) => opcodes[number]!).filter(({ flow }) => flow !== undefined);
  return {
    returns: all.some(({ flow }) => flow === 'return'),
    calls: all.some(({ flow }) => flow === 'call' || flow === 'exception' || flow === 'trap'),
    // A return decides nothing for the walk, which goes into the code that returned.
    decides: all.some(({ flow, decides }) => flow !== 'return' && decides),
  };
}

/** Returns the newest branch before record `before` that decided where the CPU went. */
export function* decidingBranch({ trace, instructions }: Search, cpu: number, before: RecordNumber): Steps<Found> {
  const { blocks } = trace;
  const last = blocks.blockOfRecord(Math.min(before, blocks.records - 1));
  const end = Math.max(0, last - MOST_BLOCKS);
  /** Calls and exceptions inside of which the walk is: those that returned before the instruction. */
  let inside = 0;
  const least = blocks.firstRecord(end);
  const { opcodes: known } = codeOf(trace, instructions);
  let passed = 0;
  for (let record = Math.min(before, blocks.records) - 1; record >= least;) {
    const part = opcodesWith(trace, record, instructions);
    if (part !== undefined && mayPass(part.numbers, known, inside)) {
      if (++passed % PASSED_AT_ONCE === 0) yield record;
      record = part.first - 1;
      continue;
    }
    const read = codeWith(trace, record, instructions);
    if (!read.ok) return read;
    const { first, row, cpu: cpus, opcode, opcodes } = read.value;
    for (let at = rowsUpTo({ first, row }, before - 1) - 1; at >= 0; at -= 1) {
      if (cpus[at] !== cpu) continue;
      const n = first + row[at]!;
      const { flow, decides } = opcodes[opcode[at]!]!;
      if (flow === undefined) continue;
      if (flow === 'return') inside += 1;
      else if (flow === 'call' || flow === 'exception' || flow === 'trap') {
        if (inside > 0) inside -= 1;
        else if (decides) return ok({ n, inferred: true });
      } else if (inside === 0 && decides) return ok({ n, inferred: true });
    }
    yield first;
    record = first - 1;
  }
  if (end === 0) return ok({ n: undefined, reason: 'no branch of the trace decided this before', inferred: false });
  const searched = (before - least).toLocaleString('en');
  return ok({
    n: undefined,
    reason: `no branch of the ${searched} records before decided this; earlier ones were not searched`,
    inferred: false,
  });
}
