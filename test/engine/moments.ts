/** Asks the same questions at many moments, and records answers that differ. */
import type { Engine } from '../../electron/engine/engine.ts';
import type { Answer, Arguments, RequestName } from '../../shared/requests/requests.ts';
import type { Random } from '../laws/random.ts';
import { rounds } from '../short-form.ts';
import { BEYOND, LAST, QUESTIONS, SLOW, type Facts } from './moment-questions.ts';

export interface Question {
  readonly name: RequestName;
  /** Number among the questions of this request. */
  readonly number: number;
  readonly args: object;
  /** Questions with the same key have the same answer: a span that ends beyond the address space ends at its last address. */
  readonly key: string;
}

/** Questions about one open trace. Equal positions in two lists are the same question. */
export function questionsAbout(facts: Facts, trace: string): readonly Question[] {
  return Object.entries(QUESTIONS).flatMap(([name, make]) =>
    make(facts, trace).map((args, number) => ({
      name: name as RequestName,
      number,
      args,
      key: `${name} ${JSON.stringify({ ...args, trace: undefined })}`.replaceAll(BEYOND, LAST),
    })),
  );
}

/** Questions of each request in a round, in turn. */
const EACH = rounds(4, 2);

/** Questions of one round: some of each request, one of a slow request. */
export function ofRound(all: readonly Question[], round: number): readonly Question[] {
  const count = new Map<string, number>();
  for (const { name } of all) count.set(name, (count.get(name) ?? 0) + 1);
  return all.filter(({ name, number }) => {
    const each = SLOW.has(name) ? 1 : EACH;
    return (number + count.get(name)! - ((round * each) % count.get(name)!)) % count.get(name)! < each;
  });
}

export interface Answers {
  /** Asks a question and compares the answer with earlier ones. */
  ask(engine: Engine, question: Question, moment: string): Promise<void>;
  /** Compares an answer with earlier answers to the same question. */
  compare(question: Question, answer: string, moment: string): void;
  /**
   * Compares answers about a part of the trace with answers of the complete trace to questions about only this part. `trace` is the complete
   * trace.
   */
  checkParts(engine: Engine, trace: string): Promise<void>;
  /** Number of answers of each request. */
  readonly answered: ReadonlyMap<RequestName, number>;
  readonly moments: ReadonlySet<string>;
  /** Sentences about answers that differ, the first one of each question. */
  readonly differences: readonly string[];
}

/** `label` names the trace in differences. */
/** Requests without a reach that refuse to answer about what is not indexed yet: their answers are the same before and afterwards. */
const FINAL: ReadonlySet<RequestName> = new Set<RequestName>([
  'exportPart',
  'exportPlan',
  'exportGroup',
  'captureFlow',
]);

interface Known {
  readonly question: Question;
  readonly answer: string;
  readonly moment: string;
}

export function createAnswers(label: string): Answers {
  const known = new Map<string, Known>();
  const answered = new Map<RequestName, number>();
  const moments = new Set<string>();
  const differences = new Map<string, string>();
  return {
    answered,
    moments,
    get differences() {
      return [...differences.values()];
    },
    compare,
    async checkParts(engine, trace) {
      for (const { question, answer, moment } of known.values()) {
        const reach = reachIn(answer);
        if (reach === undefined || reach.complete) continue;
        const args = aboutPart(question, reach.records);
        if (args === undefined) continue;
        const whole = await answerTo(engine, question.name, { ...args, trace });
        const part = { ...question, args };
        compareTexts(`${question.key}, the first ${String(reach.records)} records`, part, [
          { question, answer: withoutReach(answer), moment },
          { question: part, answer: withoutReach(whole), moment: 'complete' },
        ]);
      }
    },
    async ask(engine, question, moment) {
      const { name, args } = question;
      const answer = await answerTo(engine, name, args);
      answered.set(name, (answered.get(name) ?? 0) + 1);
      compare(question, answer, moment);
    },
  };

  function compare(question: Question, answer: string, moment: string): void {
    const { name } = question;
    moments.add(moment);
    const reach = reachIn(answer);
    if (FINAL.has(name) && answer.includes('"code":"beyond-index"')) return;
    const isPart = reach !== undefined && !reach.complete;
    // Without a reach, an answer about a part of the trace looks like one about another part.
    const isFinal = FINAL.has(name);
    if (reach === undefined && !isFinal && moment.startsWith('building')) return;
    const key = `${question.key}${isPart ? ` ${String(reach.records)}` : ''}${reach === undefined && !isFinal && moment.startsWith('paused') ? moment : ''}`;
    const before = known.get(key);
    if (before === undefined) known.set(key, { question, answer, moment });
    else compareTexts(key, question, [before, { question, answer, moment }]);
  }

  function compareTexts(key: string, { name, args }: Question, [before, now]: readonly [Known, Known]): void {
    if (before.answer === now.answer || differences.has(key)) return;
    differences.set(
      key,
      `${label}: ${name} ${JSON.stringify(args)} answered ${differing(before.answer, now.answer)} when ${before.moment}, and ${differing(now.answer, before.answer)} when ${now.moment}`,
    );
  }
}

/** Returns the arguments with which the complete trace answers as its first `records` records do; undefined if there are none. */
function aboutPart({ name, args }: Question, records: number): object | undefined {
  const {
    to = records,
    at = 0,
    ...rest
  } = args as { readonly to?: number; readonly at?: number; readonly bands?: unknown };
  switch (name) {
    case 'heat':
      if (rest.bands === undefined || (rest as Partial<Arguments<'heat'>>).precision !== 'even') return undefined;
      return { ...rest, to: Math.min(to, records) };
    case 'find':
    case 'findAll':
    case 'tally':
    case 'hottest':
      return { ...rest, to: Math.min(to, records) };
    case 'access':
      if (records === 0 || !String((rest as Partial<Arguments<'access'>>).way).startsWith('last')) return undefined;
      return { ...rest, at: Math.min(at, records - 1) };
    case 'recordAt':
      return rest;
    case 'memory':
    case 'registers':
      return records === 0 ? undefined : { ...rest, at: Math.min(at, records - 1) };
    default:
      return undefined;
  }
}

function withoutReach(answer: string): string {
  return answer.replace(/,?"reach":\{[^}]*\}/, '').replace(/"at":\d+,/, '');
}

/** Returns an answer as text, without fields that contain a time of day, a duration or the place of an index. */
async function answerTo(engine: Engine, name: RequestName, args: object): Promise<string> {
  if (name === 'exportPart') return wholeExport(engine, args);
  const answer = await engine.request(name, args);
  return textOf(answer);
}

/** A part ends where its time is over, so parts are joined. */
async function wholeExport(engine: Engine, args: object): Promise<string> {
  let text = '';
  const { head = false, ...request } = args as Arguments<'exportPart'>;
  let { from } = request;
  for (;;) {
    const part = await engine.request('exportPart', { ...request, from, head: head && from === request.from });
    if (!part.ok) return text + textOf(part);
    const { bytes, next } = part.value;
    text += Buffer.from(bytes).toString('latin1');
    if (next === null) return text;
    from = next;
  }
}

/** Fields that may differ between two answers, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  trace: 'names the open trace',
  seconds: 'is a duration',
  callSeconds: 'is a duration',
  version: 'counts changes of the notebook',
  parts: 'depends on how the parts of an index were committed',
};

export function textOf(answer: unknown): string {
  return JSON.stringify(answer, (key, value: unknown) => {
    if (Object.hasOwn(LEFT_OUT, key)) return undefined;
    if (key === 'index' && typeof value === 'object') return { complete: (value as Answer<'info'>['index']).complete };
    if (value === undefined) return '(undefined)';
    if (typeof value === 'bigint') return `${String(value)}n`;
    if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) return `(${String(value)})`;
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    return value instanceof Float64Array ? value.join(' ') : value;
  });
}

function reachIn(answer: string): { readonly records: number; readonly complete: boolean } | undefined {
  const found = /"reach":\{"records":(\d+),"bytes":\d+,"complete":(true|false)\}/.exec(answer);
  return found === null ? undefined : { records: Number(found[1]), complete: found[2] === 'true' };
}

const SHOWN = 160;

/** Returns the part of an answer that contains the first difference from another answer. */
function differing(answer: string, other: string): string {
  let at = 0;
  while (at < answer.length && answer[at] === other[at]) at++;
  const from = Math.max(0, at - 60);
  return `${from > 0 ? '...' : ''}${answer.slice(from, from + SHOWN)}${from + SHOWN < answer.length ? '...' : ''}`;
}

/** Asks the questions one at a time, in order. */
export async function askInTurn(engine: Engine, answers: Answers, questions: readonly Question[], moment: string) {
  for (const question of questions) await answers.ask(engine, question, moment);
}

/** Asks the questions in random order, some at once. */
export async function askAtOnce(
  engine: Engine,
  answers: Answers,
  questions: readonly Question[],
  moment: string,
  random: Random,
) {
  const left = [...questions];
  const askSome = async (): Promise<void> => {
    while (left.length > 0) {
      const [question] = left.splice(random.below(left.length), 1);
      if (question !== undefined) await answers.ask(engine, question, moment);
    }
  };
  await Promise.all(Array.from({ length: 6 }, askSome));
}
