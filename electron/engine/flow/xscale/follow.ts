/**
 * Which instructions does an XScale trace buffer prove, and which branches?
 *
 * The entries are followed forward, from the oldest place that is known: the target of an indirect branch, a checkpoint register,
 * the vector of an exception. Between two messages a core runs straight on, so that the count of a message gives the instructions
 * before it; where a direct branch leads stands in the image:
 *
 *     00 00 80 00 90   at 0x8000
 *     83               0x8000, 0x8004, 0x8008, and the branch at 0x800c; the image says where it leads
 *     22               two more, and the SWI behind them; then the vector at 0x8
 *
 * Each stretch from one known place to the next is followed for itself, in both instruction sets where it is not known which one
 * the core was in. A stretch in which the image does not fit what the buffer says proves nothing: either may be wrong, and from
 * where on is not known. Where both instruction sets fit, what ran elsewhere in the buffer tells, or that one of
 * them was met by many branches where the buffer has them and the other by few; else nothing is said but what both have in common.
 *
 * Sources: 80200 Developer's Manual 13.13 (buffer), 13.16 (errata: what an abort counts).
 */
import { isException, isIndirect, vectorOf } from '../../../../shared/xscale/messages.ts';
import type { Code } from './code.ts';
import { ABSENT } from './code.ts';
import { trusted, type Entry } from './entries.ts';
import { createFindings, REASON, type Followed } from './findings.ts';
import { followStretch } from './stretch.ts';
import { ARM, EITHER, THUMB, type Way } from './way.ts';

export interface Question {
  readonly entries: readonly Entry[];
  /** Undefined without an image. */
  readonly code: Code | undefined;
  /** Where the exception vectors lie. */
  readonly base: number;
  /** What the core was in at the first known place; undefined where nobody says. */
  readonly state?: 'arm' | 'thumb' | undefined;
  /** Where tracing was enabled; only for buffers that have not wrapped. */
  readonly enabledAt?: number | undefined;
  /** False where nobody wants the addresses, but only the branches. */
  readonly listed?: boolean;
}

/** A place that is known by itself. */
interface Anchor {
  readonly pc: number;
  readonly from: 'buffer' | 'vector' | 'enabled';
}

/** By address: the instruction set of the code there. */
type States = Map<number, number>;

/** Each time over what was found of the code tells more of what was left open. */
const MOST_TIMES = 4;
/** Of two readings, one of which is wrong, the wrong one meets a fitting branch once in ten times or less. */
const CERTAIN = 5;

export function follow(question: Question): Followed {
  const first = followOnce(question, undefined);
  if (first.doubts === 0) return first.followed;
  const seen: States = new Map();
  for (let times = 1; ; times++) {
    const before = seen.size;
    const { followed, doubts } = followOnce(question, seen);
    if (doubts === 0 || seen.size === before || times === MOST_TIMES) return followed;
  }
}

/** `seen` is added to, where it is there. */
function followOnce(
  question: Question,
  seen: States | undefined,
): { readonly followed: Followed; readonly doubts: number } {
  const { entries, code } = question;
  // What was seen is known by the addresses.
  const listed = question.listed !== false || seen !== undefined;
  const sound = trusted(entries);
  const findings = createFindings(entries);
  let doubts = 0;
  let anchor = enabledAnchor(question);
  /** The entry behind which the anchor is. */
  let at = -1;
  let states = EITHER;
  const interrupted = new Set<number>();
  for (;;) {
    let next = at + 1;
    while (next < entries.length && !(sound?.[next] !== false && isAnchor(entries[next]!))) next++;
    const end = Math.min(next, entries.length - 1);
    const sole = anchor === undefined ? undefined : stretchFrom(anchor);
    if (anchor === undefined) findings.unknown(at + 1, end, REASON.lost);
    if (next >= entries.length) return { followed: findings.done(), doubts };
    states = sole?.states ?? EITHER;
    if (sole !== undefined && sole.last >= 0 && isException(entries[next]!.message)) interrupted.add(sole.last);
    anchor = anchorOf(entries[next]!, question.base);
    at = next;

    function stretchFrom({ pc, from }: Anchor): Way | undefined {
      const first = at + 1;
      if (from === 'vector' && (code === undefined || code.at(pc, false) === ABSENT.unknown)) {
        findings.unknown(first, end, code === undefined ? REASON.noImage : REASON.vectors);
        return undefined;
      }
      const possible = from === 'vector' ? ARM : possibleStates(pc);
      const asked = { entries, sound, code, first, last: end, pc: pc - (pc % 2), interrupted, listed };
      const ways: Way[] = [];
      for (const thumb of [false, true]) {
        if ((possible & (thumb ? THUMB : ARM)) === 0) continue;
        const way = followStretch({ ...asked, thumb, doubted: possible === EITHER });
        if (way.fits) ways.push(way);
      }
      if (ways.length > 0) {
        if (from === 'vector') findings.vector(at, pc);
        findings.know(Math.max(0, at));
        const right = rightOf(ways);
        if (right === undefined && code !== undefined) doubts++;
        if (right !== undefined && seen !== undefined) noteStates(seen, right);
        const reason = code === undefined ? REASON.noImage : REASON.state;
        return findings.ways(first, end, right === undefined ? ways : [right], reason);
      }
      switch (from) {
        case 'enabled':
          findings.unknown(first, end, REASON.enabled);
          break;
        case 'vector':
          findings.unknown(first, end, REASON.disagree);
          break;
        case 'buffer':
          findings.know(at);
          findings.unknown(first, end, REASON.disagree);
      }
      return undefined;
    }

    function possibleStates(pc: number): number {
      const even = pc - (pc % 2);
      const told = code?.stateAt(even);
      let possible = states & (seen?.get(even) ?? EITHER) & statesOf(told);
      if (pc % 4 !== 0) possible &= THUMB;
      if (possible === EITHER && findings.knownFrom === null) return statesOf(question.state);
      return possible;
    }
  }
}

function noteStates(seen: States, { addresses, returns, thumb }: Way): void {
  const state = thumb ? THUMB : ARM;
  for (const address of addresses) seen.set(address, state);
  for (const address of returns) seen.set(address, state);
}

function rightOf(ways: readonly Way[]): Way | undefined {
  const [one, other] = ways;
  if (one === undefined || other === undefined) return one;
  const lead = (one.checked?.size ?? 0) - (other.checked?.size ?? 0);
  if (Math.abs(lead) < CERTAIN) return undefined;
  return lead > 0 ? one : other;
}

function isAnchor(entry: Entry): boolean {
  return entry.target !== undefined || isException(entry.message);
}

function anchorOf({ message, target }: Entry, base: number): Anchor | undefined {
  if (isException(message)) return { pc: (base + vectorOf(message)) >>> 0, from: 'vector' };
  return target === undefined ? undefined : { pc: target, from: 'buffer' };
}

/** Where a debugger enabled tracing its return is an entry itself: from an instruction that is not the program's. */
function enabledAnchor({ enabledAt, entries: [first] }: Question): Anchor | undefined {
  if (enabledAt === undefined || first === undefined) return undefined;
  if (isIndirect(first.message) && first.count === 0 && first.target === enabledAt) return undefined;
  return { pc: enabledAt, from: 'enabled' };
}

function statesOf(state: 'arm' | 'thumb' | undefined): number {
  return state === undefined ? EITHER : state === 'arm' ? ARM : THUMB;
}
