/** The steps of a slice as lines of text: a block for each instruction, youngest first, numbered so that uses can name them. */
import { styleText } from 'node:util';
import type { Bytes, Why, WhyStep, WhyUse } from '../../../shared/requests/why.ts';
import { endsTogether, turned } from '../../../shared/requests/answers/where-it-went.ts';
import { counted, group } from '../../../shared/base/numbers.ts';
import { printable } from './printable.ts';

const ENDED: Readonly<Record<Why['ended']['reason'], string>> = {
  origins: 'Every value is followed to its origin.',
  ends: 'Every value is followed until it was overwritten or the trace ended.',
  unknown: 'Some origins are not known.',
  steps: 'There are more steps; --steps follows more.',
  cancelled: 'Interrupted: there may be more steps.',
};
const SOME_UNKNOWN = 'Some values are not followed to their end.';

export function whyText(why: Why, colour: boolean): string {
  const bold = (text: string): string => (colour ? styleText('bold', text, { validateStream: false }) : text);
  const isForward = why.forward === true;
  const users = isForward ? turned(why) : why;
  const depths = depthsOf(users);
  const endsOf = (uses: readonly WhyUse[] = [], defines: readonly Bytes[]): readonly string[] =>
    isForward ? endsTogether(uses.filter(({ step }) => step === null)).map((ends) => endLine(ends, defines)) : [];
  const lines = [
    bold(printable(`${bytesText(why.of)} ${isForward ? 'after' : 'at'} record ${group(why.at)}`)),
    ...why.origin.map((use) => `  ${useText(use)}`),
    ...copiedLines({ ...(why.copies && { copies: why.copies }) }).map((copied) => `  then ${copied}`),
    ...endsOf(users.origin, [why.of]).map((line) => `  ${printable(line)}`),
    '',
    ...why.steps.flatMap((step, index) => {
      const margin = ' '.repeat(2 * (depths[index] ?? 0));
      const [head = '', ...own] = stepLines(step, index, isForward);
      const rest = [...own, ...endsOf(users.steps[index]?.uses, step.defines).map((line) => `    ${line}`)];
      return [`${margin}${bold(printable(head))}`, ...rest.map((line) => `${margin}${printable(line)}`)];
    }),
    ...(why.steps.length > 0 ? [''] : []),
    isForward && why.ended.reason === 'unknown' ? SOME_UNKNOWN : ENDED[why.ended.reason],
  ];
  return `${lines.join('\n')}\n`;
}

/** Deepest indentation: chains that branch further stay there. */
const DEEPEST = 12;

/** Returns by step how often the chain from the value to it branched: a step lies under the youngest one that uses it. */
function depthsOf({ steps, origin }: Pick<Why, 'steps' | 'origin'>): readonly number[] {
  const depths: (number | undefined)[] = steps.map(() => undefined);
  const put = (uses: readonly WhyUse[], depth: number): void => {
    const next = [...new Set(uses.flatMap(({ step }) => step ?? []))];
    for (const step of next) depths[step] ??= Math.min(DEEPEST, next.length > 1 ? depth + 1 : depth);
  };
  put(origin, 0);
  for (const [index, { uses }] of steps.entries()) put(uses, depths[index] ?? 0);
  return depths.map((depth) => depth ?? 0);
}

function stepLines(step: WhyStep, index: number, isForward: boolean): string[] {
  const { n, address, symbol, line, text, kind, reason, defines, uses, inferred } = step;
  const where = [address, symbol, line, text].filter((part) => part !== undefined).join('  ');
  const marks = [kind, ...(reason === undefined ? [] : [reason]), ...(inferred ? ['inferred'] : [])].join(', ');
  return [
    `[${index}] #${group(n)}  ${where}`,
    `    ${defines.map(bytesText).join(', ')}  (${marks})`,
    ...copiedLines(step).map((copied) => (step.moved === undefined ? `    then ${copied}` : `    ${copied}`)),
    ...uses.map((use) => `    ${useText(use, isForward)}`),
  ];
}

/** Names the bytes if others of the step ended differently. */
function endLine(ends: readonly [WhyUse, ...WhyUse[]], defines: readonly Bytes[]): string {
  const reason = ends[0].reason ?? 'unknown';
  const areAll = ends.length === defines.length && ends.every((end, k) => isSame(end, defines[k]!));
  return areAll ? `-> ${reason}` : `-> ${ends.map(bytesText).join(', ')}  ${reason}`;
}

function isSame(one: Bytes, other: Bytes): boolean {
  if ('register' in one) return 'register' in other && one.register === other.register;
  return 'address' in other && one.address === other.address && one.length === other.length;
}

/** Returns `copied 7 times`, or `copied 64 bytes by 128 instructions` of a step that stands for a loop; nothing if there are no copies. */
export function copiedLines({ copies = [], moved }: Pick<WhyStep, 'copies' | 'moved'>): readonly string[] {
  if (moved !== undefined) return [`copied ${counted(moved, 'byte')} by ${counted(copies.length + 1, 'instruction')}`];
  return copies.length === 0 ? [] : [`copied ${counted(copies.length, 'time')}`];
}

function useText(use: WhyUse, isForward = false): string {
  const isValue = isForward && use.step === null && use.reason === undefined;
  const to = isValue ? 'the value' : use.step === null ? `(${use.reason ?? 'unknown'})` : `from [${use.step}]`;
  const edge = use.edge === 'data' ? '' : use.edge === 'address' ? 'address: ' : 'decided by ';
  const mark = use.inferred === true ? ' inferred' : '';
  return isNowhere(use) ? `<- ${edge}${to}` : `<- ${edge}${bytesText(use)}  ${to}${mark}`;
}

function isNowhere(bytes: Bytes): boolean {
  return 'length' in bytes && bytes.length === 0;
}

/** `r0 = 0x14`, `0x8000 (4 bytes) = 14000000`. */
export function bytesText(bytes: Bytes): string {
  const value = bytes.value ?? '?';
  if ('register' in bytes) return `${bytes.register} = ${value}`;
  return `${bytes.address} (${counted(bytes.length, 'byte')}) = ${value}`;
}
