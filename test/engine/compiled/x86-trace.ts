/** A run on the Pentium as its branch trace messages report it, and its interrupts. */
import type { Random } from '../../laws/random.ts';
import type { TakenBranch } from '../btm-programs.ts';
import type { Compiled } from './compile.ts';
import { textOf, type Interrupts, type Ran, type Run, type TracedBranch } from './run.ts';

export interface Message extends TakenBranch {
  /** Index of the instruction that it reaches. */
  readonly reaches: number;
  /** True if the instruction encodes the target. */
  readonly direct: boolean;
}

/** `random`: decides which branches run in the v pipe next to the preceding instruction, which is then reported. */
export function messagesOf({ ran }: Run, { textAt }: Compiled, random?: Random): readonly Message[] {
  const all: Message[] = [];
  let since: number[] = [];
  let paired = false;
  ran.forEach((each, i) => {
    const { address, branch, interruptions } = each;
    for (const { source, target } of interruptions) {
      all.push({
        source,
        reported: source,
        target,
        kind: 'interrupt',
        how: 'irq',
        ran: since,
        reaches: i,
        direct: false,
      });
      since = [];
    }
    since.push(address);
    const before = ran[i - 1];
    const may = !paired && before !== undefined && interruptions.length === 0 && canPair(before, each, textAt);
    paired = may && random?.below(2) === 0;
    if (branch === undefined) return;
    const reported = paired ? before!.address : address;
    const how = branch.kind === 'call' ? 'call' : branch.direct ? 'jcc' : 'indirect';
    const { kind, target, direct } = branch;
    all.push({ source: address, reported, target, kind, how, ran: since, reaches: i + 1, direct });
    since = [];
    paired = false;
  });
  return all;
}

/** Near calls and jumps with an immediate target, after an instruction that is no branch. */
function canPair(before: Ran, { branch }: Ran, textAt: (address: number) => string): boolean {
  if (before.branch !== undefined || /^(j|call|ret|int|rep)/.test(textAt(before.address))) return false;
  return branch?.direct === true && (branch.kind === 'call' || branch.kind === 'jump');
}

/**
 * `anywhere`: also before instructions that look as if they had branched to the handler, that is, branches through a register or the
 * stack.
 */
export function interruptsOf(random: Random, { textAt, at }: Compiled, anywhere = false): Interrupts {
  return (_, next) => {
    const hides = !anywhere && /^(ret|iret|call \*|jmp \*|int|cpuid)/.test(textAt(next).replace(/\s+/g, ' '));
    return hides || random.below(anywhere ? 12 : 50) > 0 ? undefined : at('irq_handler');
  };
}

/** Lines of a trace of executed instructions. */
export function linesOf({ ran }: Run, { image, textAt }: Compiled): string {
  return ran
    .map(({ address, size }, i) => {
      const code = Buffer.from(image.subarray(address, address + size)).toString('hex');
      return `${i + 1} clk 0 IT (${i + 1}) ${address.toString(16).padStart(8, '0')} ${code} A svc : ${textAt(address)}\n`;
    })
    .join('');
}

/**
 * Interrupts anywhere; mostly, or only, right after branches through a register, the stack or memory, which then seem to have gone to
 * the handler.
 */
export function interruptsBehind(random: Random, { at }: Compiled, where: 'anything' | 'mostly' | 'only'): Interrupts {
  return (before) => {
    const hides = before?.branch?.direct === false;
    if (where === 'only' && !hides) return undefined;
    return random.below(where === 'anything' ? 50 : hides ? 8 : 200) > 0 ? undefined : at('irq_handler');
  };
}

/** Every branch that a trace of executed instructions shows, with the index of the instruction that it reaches. */
export function branchListOf({ ran }: Run): readonly TracedBranch[] {
  return ran.flatMap(({ address, branch, interruptions }, i) => [
    ...interruptions.map(({ source, target }) => ({ at: i, kind: 'interrupt' as const, source, target })),
    ...(branch === undefined ? [] : [{ at: i + 1, kind: branch.kind, source: address, target: branch.target }]),
  ]);
}

/** The same as `kind source target`. */
export function branchesOf(run: Run): readonly string[] {
  return branchListOf(run).map(textOf);
}
