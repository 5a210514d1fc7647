/** Answers for the Source pane: the text of the file, counts of its lines around the visible ones, and instructions of opened lines. */
import type {
  InlinedCall,
  LineInstructions,
  SourceFile,
  SourceLines,
} from '../../../shared/requests/source/answers.ts';
import type { Hex } from '../../../shared/base/units.ts';
import { attached } from '../../trace/attached.svelte.ts';
import { callsKey, type CallsKey } from '../../trace/flow/calls.svelte.ts';
import { createFlowQuestion } from '../../trace/questions/flow-question.svelte.ts';
import { createQuestion } from '../../trace/questions/question.svelte.ts';
import { sourcePlaces, type SourcePlaces } from '../../trace/source/places.ts';
import { shownRecords, withoutStep } from '../../trace/source/range.ts';
import type { TraceBase } from '../../trace/trace-base.ts';

export interface FileKey extends SourcePlaces {
  readonly file: string;
}

export interface LinesKey extends CallsKey {
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

/** Lines are requested in parts, each with the beginning of the next one, so that scrolling asks seldom. */
const PART = 1500;
const MOST_AT_ONCE = 1000;
/** Addresses whose inlined functions are remembered. */
const MOST_INLINED = 10_000;

export const sourceSession = attached((trace: TraceBase) => {
  const { client, id } = trace;
  const places = sourcePlaces(trace);
  const file = createQuestion<FileKey, SourceFile>(
    (key, signal) => client.request('sourceFile', { trace: id, ...key }, { signal }),
    { interrupt: () => true },
  );
  const lines = createFlowQuestion<LinesKey, SourceLines>(
    (key, options) => client.request('sourceLines', { trace: id, ...withoutStep(key) }, options),
    ({ from = 0 }) => from,
  );
  /** Functions that are inlined at addresses, as far as they are known. */
  let inlined = $state.raw<ReadonlyMap<Hex, readonly InlinedCall[]>>(new Map());
  let opened = $state.raw<ReadonlyMap<number, LineInstructions>>(new Map());
  /** File and range of the opened lines. */
  let openedOf = '';
  let requested = '';

  return {
    file,
    lines,
    get opened() {
      return opened;
    },
    inlinedAt(address: Hex | undefined): readonly InlinedCall[] {
      return (address === undefined ? undefined : inlined.get(address)) ?? [];
    },
    async askInlined(addresses: readonly Hex[]): Promise<void> {
      const wanted = addresses.filter((address) => !inlined.has(address)).slice(0, MOST_AT_ONCE);
      if (wanted.length === 0) return;
      const answer = await client.request('inlinedAt', { trace: id, addresses: wanted });
      // Without an answer, nothing is named.
      const calls = answer.ok ? answer.value.calls : [];
      const kept = [...inlined].slice(-MOST_INLINED);
      inlined = new Map([...kept, ...wanted.map((address, i) => [address, calls[i] ?? []] as const)]);
    },
    askFile(name: string): void {
      const key = { file: name, folders: [...places.folders], maps: [...places.maps] };
      const text = JSON.stringify(key);
      if (text === requested) return;
      requested = text;
      file.ask(key);
    },
    /** Asks for the counts of lines around a visible one. */
    askLines(name: string, line: number): void {
      const first = Math.floor(Math.max(0, line - 1) / PART) * PART + 1;
      lines.ask({ ...callsKey(trace.cursor.range, trace.reach), file: name, first, last: first + 2 * PART - 1 });
    },
    /** Closes the opened lines if they are of another file, and asks for their counts again if the range is another one. */
    openedAre(name: string): void {
      const of = JSON.stringify([name, callsKey(trace.cursor.range, trace.reach)]);
      if (of === openedOf) return;
      const isSame = openedOf !== '' && (JSON.parse(openedOf) as unknown[])[0] === name;
      const before = isSame ? [...opened.keys()] : [];
      openedOf = of;
      if (!isSame) opened = new Map();
      for (const line of before) void open(name, line);
    },
    toggle(name: string, line: number): void {
      if (!opened.has(line)) {
        void open(name, line);
        return;
      }
      const others = new Map(opened);
      others.delete(line);
      opened = others;
    },
  };

  async function open(name: string, line: number): Promise<void> {
    const of = openedOf;
    const args = { trace: id, ...shownRecords(trace), file: name, line };
    const answer = await client.request('lineInstructions', args);
    if (of !== openedOf) return;
    if (answer.ok) opened = new Map(opened).set(line, answer.value);
    else trace.say(answer.error.message);
  }
});
