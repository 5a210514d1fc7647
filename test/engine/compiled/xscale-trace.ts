/** A run on the ARM as an XScale reports it to its trace buffer. */
import { assert } from '../../../shared/base/result.ts';
import type { Event, Line } from '../../unit/xscale-program.ts';
import type { Ran, Run } from './run.ts';

/** The first report from `from` on at which tracing may begin: anywhere except between the halves of a Thumb call. */
export function beginning(reports: readonly Event[], from: number): { readonly first: number; readonly start: Line } {
  const first = reports.findIndex((report, at) => at >= from && report.what === 'ran' && !isSecondHalf(report.line));
  const begun = reports[first];
  assert(begun?.what === 'ran', 'an instruction runs after that');
  return { first, start: begun.line };
}

function isSecondHalf({ thumb, word }: Line): boolean {
  return thumb && (word >>> 11 === 0x1f || word >>> 11 === 0x1d);
}

/** Kinds of instructions that the processor reports. */
export function reportsOf({ ran }: Run): readonly Event[] {
  return ran.flatMap((each, i): Event[] => {
    const events: Event[] = each.interruptions.map(({ target }) => interrupted(target));
    const next = ran[i + 1];
    const line: Line = { address: each.address, thumb: each.thumb, word: each.opcode, does: doesOf(each, next) };
    const { branch } = each;
    if (branch?.kind === 'exception') {
      const { target, aborts } = branch;
      // A load that aborts is counted; a trapped instruction is not.
      if (aborts === true) events.push({ what: 'ran', line, to: undefined }, interrupted(target));
      else events.push({ what: 'exception', vector: target, line, counted: false });
    } else {
      const to = branch && next && { address: branch.target, thumb: next.thumb };
      events.push({ what: 'ran', line, to });
    }
    return events;
  });
}

function interrupted(vector: number): Event {
  return { what: 'exception', vector, line: undefined, counted: true };
}

function doesOf({ branch, thumb }: Ran, next: Ran | undefined): Line['does'] {
  if (branch === undefined || next === undefined) return { way: 'on' };
  const { kind, target, direct, aborts } = branch;
  if (aborts === true) return { way: 'on', memory: true };
  if (kind === 'exception') return { way: 'swi' };
  if (kind !== 'call' && kind !== 'return' && kind !== 'jump') return { way: 'on' };
  // A change of the instruction set is reported with its target.
  const same = next.interruptions.length > 0 || next.thumb === thumb;
  return direct && same
    ? { way: 'direct', maybe: false, kind, to: target }
    : { way: 'indirect', maybe: false, kind, among: [] };
}
