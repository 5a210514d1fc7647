/** Report part with the origin of a value, or where it went: the instructions that made or used it, with the values that each made and used. */
import {
  bytesText,
  copiersText,
  copiesText,
  EDGE_WORDS,
  endedText,
  isPlace,
  KIND_WORDS,
  questionText,
  useText,
} from '../../../../present/text/why-words.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { visible } from '../../../../shared/base/visible.ts';
import type { ReportPart } from '../../../../shared/report/plan.ts';
import { endText } from '../../../../shared/requests/answers/where-it-went.ts';
import { WHY_KINDS, type WhyEnd, type WhyStep, type WhyUse } from '../../../../shared/requests/why.ts';
import { knownAnswer } from '../../queries/known-answers.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { code, type Block, type Cell, type Row } from '../blocks.ts';
import type { Item, WhyData } from '../document.ts';
import { sourceOf } from '../sources.ts';
import { line } from '../words.ts';

export type WhyPart = Extract<ReportPart, { readonly kind: 'why' }>;

const TITLE = 200;

export async function makeWhy(trace: Trace, { question }: WhyPart, task: Task): Promise<Result<Item>> {
  const { why } = await import('../../queries/why/why.ts');
  const found = await knownAnswer(trace, 'why', question, () => why(trace, { ...question, trace: trace.id }, task));
  if (!found.ok) return found;
  // Nothing after the record can have made the value, but an origin that is not in the trace took the search to its start.
  const range = question.forward === true ? { from: question.at } : { from: 0, to: question.at + 1 };
  const source = sourceOf(trace, 'why', question, range);
  if (!source.ok) return source;
  const { at, of, steps, origin, ended, forward, ends, copies } = found.value;
  return ok({
    kind: 'why',
    title: line(questionText(found.value, question), TITLE),
    sources: [source.value],
    data: {
      ...{ question, at, of, steps, origin, ended },
      ...(forward === true && { forward }),
      ...(ends !== undefined && { ends }),
      ...(copies !== undefined && { copies }),
    },
  });
}

export function whyBlocks(data: WhyData): Block[] {
  const { steps, origin, question, forward } = data;
  const facts: Block = {
    block: 'facts',
    rows: [
      ...(question.pc === true
        ? []
        : [['Value', code(visible(bytesText(data.of, Number.POSITIVE_INFINITY)))] as const]),
      forward === true
        ? ['End of the value', { text: endsText(data.ends), foreign: true }]
        : ['Made by', { text: usesText(origin), foreign: true }],
      ...(data.copies === undefined ? [] : [['Moved', copiesText(data.copies.length)] as const]),
      ['Followed', followedText(data)],
      ['Result', endedText(data)],
    ],
  };
  if (steps.length === 0) return [facts];
  return [
    {
      block: 'say',
      text:
        forward === true
          ? USED
          : `${question.pc === true ? 'The branches that decided that the instruction was reached' : 'The executed instructions that made the value'}, the youngest first. Each step made its values of those under “Made of”, where #N names the step that made them.`,
    },
    facts,
    {
      block: 'table',
      caption: `${steps.length === 1 ? 'The only step' : `${group(steps.length)} steps`}, the ${forward === true ? 'oldest' : 'youngest'} first`,
      columns: [
        { title: 'Step', right: true },
        { title: 'Value' },
        { title: 'Kind' },
        { title: 'Instruction' },
        { title: 'Where' },
        { title: 'Made of' },
        { title: 'Ended' },
        { title: 'CPU', right: true },
        { title: 'Record', right: true },
        { title: 'Time', right: true },
      ],
      rows: steps.map(rowOf),
    },
    ...legend(data),
  ];
}

function rowOf(step: WhyStep, index: number): Row {
  const { n, time, cpu = 0, text, defines, uses } = step;
  return {
    cells: [
      `#${group(index)}`,
      code(visible(defines.map((bytes) => bytesText(bytes)).join(', '))),
      kindText(step),
      { text: visible(text ?? ''), code: true, foreign: true },
      whereOf(step),
      { text: usesText(uses), foreign: true },
      { text: endsText(step.ends), foreign: true },
      cpu === 0 ? '' : group(cpu),
      group(n),
      time === undefined ? '' : group(time),
    ],
  };
}

function whereOf({ symbol, line: source, address }: WhyStep): Cell {
  const names = [symbol ?? address, source].filter((name) => name !== undefined);
  return { text: visible(names.join(', ')), foreign: true };
}

const USED =
  'The executed instructions that used the value, and those that used what these made of it, the oldest first. Each step made its values of those under “Made of”, where #N names the step that made them.';

function endsText(ends: readonly WhyEnd[] = []): string {
  return visible(ends.map((end) => `${bytesText(end)}: ${endText(end)}`).join('; '));
}

function usesText(uses: readonly WhyUse[]): string {
  return visible(uses.map(useText).join('; '));
}

function kindText({ kind, copies = [], moved, reason, inferred }: WhyStep): string {
  const copied = `${copiesText(copies.length, moved)} ${copiersText(copies.length, moved)}`.trim();
  return [
    KIND_WORDS[kind].word,
    ...(inferred ? ['inferred'] : []),
    ...(reason === undefined ? [] : [visible(reason)]),
    ...(copies.length === 0 ? [] : [moved === undefined ? `then ${copied}` : copied]),
  ].join(', ');
}

function followedText({ question: { pc, addresses, control, allCopies, forward } }: WhyData): string {
  const more = [
    ...(addresses === true ? ['the registers that formed addresses'] : []),
    ...(control === true && pc !== true
      ? [forward === true ? 'branches that used a value' : 'what decided that instructions executed']
      : []),
  ];
  const what = pc === true ? 'the branches that decided that the instruction was reached' : 'data';
  const copies = allCopies === true ? '; every copy is a step' : '';
  return `${[what, ...more].join(', ')}${copies}`;
}

/** Explains the words and signs that the table contains. */
function legend({ steps, origin }: WhyData): readonly Block[] {
  const kinds = WHY_KINDS.filter((kind) => steps.some((step) => step.kind === kind));
  const uses = [...origin, ...steps.flatMap((step) => step.uses)];
  const places = [...uses, ...steps.flatMap(({ defines }) => defines)].filter(isPlace);
  const part = places.find((one) => 'register' in one && one.register.includes('<'));
  const long = places.find((one) => 'length' in one && one.length > 1);
  const sentences = [
    ...kinds.map((kind) => `${KIND_WORDS[kind].word}: ${KIND_WORDS[kind].meaning.toLowerCase()}.`),
    ...(steps.some(({ inferred }) => inferred) ? ['inferred: not recorded in the trace.'] : []),
    ...(uses.some(({ edge }) => edge === 'address') ? [`${EDGE_WORDS.address}: formed the address of memory.`] : []),
    ...(uses.some(({ edge }) => edge === 'control') ? [`${EDGE_WORDS.control}: decided that the step executed.`] : []),
    ...(part === undefined ? [] : ['R<7:0> are the bits 7 to 0 of the register R.']),
    ...(long === undefined ? [] : ['[A+N] are the N bytes of memory at address A, the byte at A first.']),
  ];
  return sentences.length === 0 ? [] : [{ block: 'say', text: sentences.join(' ') }];
}
