/** A run on the ARM as instruction traces report it: its records, branches and interrupts. */
import type { Random } from '../../laws/random.ts';
import type { Step } from '../flow-programs.ts';
import type { Compiled } from './compile.ts';
import { textOf, type Interrupts, type Ran, type Run, type TracedBranch } from './run.ts';

const IRQ = 0x18;
const FIQ = 0x1c;

export function stepsOf({ ran }: Run, { textAt }: Compiled): readonly Step[] {
  return ran.map(({ address, opcode, size, executed, mode }) => ({
    ...{ address, opcode, size, executed, mode },
    text: textAt(address),
  }));
}

/** `kind source target` of each branch that the trace shows. */
export function branchesOf(run: Run): readonly string[] {
  return branchListOf(run).map(textOf);
}

/** Each branch that the trace shows. */
export function branchListOf({ ran }: Run): readonly TracedBranch[] {
  const all: TracedBranch[] = [];
  ran.forEach((each, i) => {
    for (const { source, target } of each.interruptions) all.push({ at: i, kind: 'interrupt', source, target });
    const { branch, address, size } = each;
    if (branch === undefined || i + 1 === ran.length) return;
    // Branches to the next instruction count only for calls, unconditional jumps, and interrupts that hide their target.
    const stays = branch.target === address + size;
    const isHidden = !branch.direct && ran[i + 1]!.interruptions.length > 0;
    if (!stays || branch.kind === 'call' || isAlways(each) || isHidden)
      all.push({
        at: i + 1,
        kind: isPopped(ran[i - 1], each) ? 'return' : branch.kind,
        source: address,
        target: branch.target,
      });
  });
  return all;
}

function isAlways({ opcode, thumb }: Ran): boolean {
  return thumb ? opcode >>> 11 === 0x1c : opcode >>> 24 === 0xea;
}

/** POP {Rn}; BX Rn: how Thumb code of architecture 4 returns. */
function isPopped(before: Ran | undefined, { address, opcode, thumb }: Ran): boolean {
  if (!thumb || (opcode & 0xff87) !== 0x4700 || before?.address !== address - 2) return false;
  return (before.opcode & 0xff00) === 0xbc00 && ((before.opcode >>> ((opcode >>> 3) & 15)) & 1) === 1;
}

/** `quietly`: only if this hides nothing about a branch; `apart`: not between instructions that act together. */
export function interruptsOf(
  random: Random,
  { textAt }: Compiled,
  where: 'quietly' | 'apart' | 'anywhere',
): Interrupts {
  return (before, next) => {
    if (random.below(40) > 0) return undefined;
    if (where !== 'anywhere' && before !== undefined && isHalf(before)) return undefined;
    const hides = (before !== undefined && isBlind(before)) || BY_REGISTER.test(textAt(next));
    if (where === 'quietly' && hides) return undefined;
    return random.below(4) === 0 ? FIQ : IRQ;
  };
}

/** The instruction before such a jump decides whether it is a call or a return. */
const BY_REGISTER = /^(bx\w* r\d|mov\w* pc, r|ldr\w* pc|add\w* pc)/;

/** Only the next instruction shows its target. */
function isBlind({ branch }: Ran): boolean {
  return branch?.direct === false;
}

/** MOV LR, PC and Thumb POP decide the kind of the next instruction together with it. */
function isHalf({ opcode, thumb }: Ran): boolean {
  return thumb ? (opcode & 0xff00) === 0xbc00 || opcode >>> 11 === 0x1e : opcode === 0xe1a0e00f;
}

/** A run as Fast Models print it, with all accesses to data and changes of registers. */
export function asFastModels({ ran }: Pick<Run, 'ran'>, { textAt }: Pick<Compiled, 'textAt'>): string {
  const hex = (value: number, bytes: number): string => value.toString(16).padStart(2 * bytes, '0');
  return ran
    .flatMap(({ address, opcode, size, thumb, executed, mode, accesses = [], changes = [] }, i) => {
      const [time, way, set] = [i + 1, executed ? 'IT' : 'IS', thumb ? 'T' : 'A'];
      return [
        `${way} (${time}) ${hex(address, 4)} ${hex(opcode, size)} ${set} ${mode}_ns : ${textAt(address)}`,
        ...accesses.map((each) => {
          const letter = each.way === 'read' ? 'R' : 'W';
          return `M${letter}${each.size} ${hex(each.address, 4)} ${hex(each.value, each.size)}`;
        }),
        ...changes.map(([register, value]) => `R ${register} ${hex(value, 4)}`),
      ].map((line) => `${time} clk cpu0 ${line}\n`);
    })
    .join('');
}
