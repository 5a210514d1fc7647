/** The steps of a slice as lines of text: a block for each instruction, youngest first, numbered so that uses can name them. */
import { styleText } from 'node:util';
import type { Bytes, Why, WhyStep, WhyUse } from '../../../shared/requests/why.ts';
import { counted, group } from '../../../shared/base/numbers.ts';
import { printable } from './printable.ts';

const ENDED: Readonly<Record<Why['ended']['reason'], string>> = {
  origins: 'Every value is followed to its origin.',
  unknown: 'Some origins are not known.',
  steps: 'There are more steps; --steps follows more.',
};

export function whyText(why: Why, colour: boolean): string {
  const bold = (text: string): string => (colour ? styleText('bold', text, { validateStream: false }) : text);
  const depths = depthsOf(why);
  const lines = [
    bold(printable(`${bytesText(why.of)} at record ${group(why.at)}`)),
    ...why.origin.map((use) => `  ${useText(use)}`),
    '',
    ...why.steps.flatMap((step, index) => {
      const margin = ' '.repeat(2 * (depths[index] ?? 0));
      const [head = '', ...rest] = stepLines(step, index);
      return [`${margin}${bold(printable(head))}`, ...rest.map((line) => `${margin}${printable(line)}`)];
    }),
    ...(why.steps.length > 0 ? [''] : []),
    ENDED[why.ended.reason],
  ];
  return `${lines.join('\n')}\n`;
}

/** Deepest indentation: chains that branch further stay there. */
const DEEPEST = 12;

/** Returns by step how often the chain from the value to it branched: a step lies under the youngest one that uses it. */
function depthsOf({ steps, origin }: Why): readonly number[] {
  const depths: (number | undefined)[] = steps.map(() => undefined);
  const put = (uses: readonly WhyUse[], depth: number): void => {
    const next = [...new Set(uses.flatMap(({ step }) => step ?? []))];
    for (const step of next) depths[step] ??= Math.min(DEEPEST, next.length > 1 ? depth + 1 : depth);
  };
  put(origin, 0);
  for (const [index, { uses }] of steps.entries()) put(uses, depths[index] ?? 0);
  return depths.map((depth) => depth ?? 0);
}

function stepLines(
  { n, address, symbol, line, text, kind, reason, defines, uses, copies, inferred }: WhyStep,
  index: number,
): string[] {
  const where = [address, symbol, line, text].filter((part) => part !== undefined).join('  ');
  const marks = [kind, ...(reason === undefined ? [] : [reason]), ...(inferred ? ['inferred'] : [])].join(', ');
  return [
    `[${index}] #${group(n)}  ${where}`,
    `    ${defines.map(bytesText).join(', ')}  (${marks})`,
    ...(copies === undefined ? [] : [`    then copied ${counted(copies.length, 'time')}`]),
    ...uses.map((use) => `    ${useText(use)}`),
  ];
}

function useText(use: WhyUse): string {
  const to = use.step === null ? `(${use.reason ?? 'unknown'})` : `from [${use.step}]`;
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
