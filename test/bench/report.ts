// Writes the measurements as a Markdown page.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { execFileSync } from 'node:child_process';
import type { Answers, FirstAnswers } from './questions.ts';
import type { Measured } from './children.ts';
import type { Case, Settings } from './settings.ts';

export interface CaseReport {
  readonly case: Case;
  /** Size of the generated trace, a little less than requested. */
  readonly bytes: number;
  readonly records: number;
  readonly makingSeconds: number | null;
  /** Load average of the minute before; above a few tenths, the measurements are unreliable. */
  readonly loadBefore: number;
  readonly runs: readonly Run[];
  readonly first: readonly FirstAnswers[];
  readonly answers: Answers;
}

/** Measured one after another, under the same conditions. */
export interface Run {
  readonly catSeconds: number;
  readonly wcSeconds: number;
  readonly index: Omit<Measured, 'output'> & {
    readonly indexBytes: number;
    readonly jobs: number;
    readonly reader: string;
    /** Part of the time spent on answers about the whole trace. */
    readonly preparedSeconds: number;
  };
}

/** Returns the name of the page, relative to the folder. */
export function writeReport(folder: string, settings: Settings, reports: readonly CaseReport[]): string {
  const date = new Date().toISOString().slice(0, 10);
  const machine = describeMachine();
  const name = `${date}-${settings.label}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}.md`, page(date, machine, settings, reports));
  return `${name}.md`;
}

interface Machine {
  readonly processor: string;
  readonly processors: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
  readonly commit: string;
}

function describeMachine(): Machine {
  const processors = cpus();
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    processors: processors.length,
    memoryBytes: totalmem(),
    system: `${type()} ${release().split('-')[0] ?? ''}`,
    node: process.versions.node,
    commit,
  };
}

function page(date: string, machine: Machine, settings: Settings, reports: readonly CaseReport[]): string {
  const { runs, questions, seed } = settings;
  return `# Index and answers, ${date}

Machine: ${machine.processors} x ${machine.processor}, ${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB of memory, ${machine.system}.
Node ${machine.node}, commit ${machine.commit}. Files in the page cache.
Command: \`node test/bench/run.ts --size ${[...new Set(reports.map(({ case: { bytes } }) => bytes))].join(',')} --runs ${runs} --questions ${questions} --seed ${seed}\`.
Corpus: \`tracebench sample --format F --locality L --size S --seed ${seed}\`.

## Indexing

Medians of ${runs} runs (lowest to highest); each run is \`cat FILE >/dev/null\`, \`wc -l FILE\` and \`tracebench index FILE --force\` with a fresh index, one after the other. Times are of whole processes; of the index, answers are what preparing answers about the whole trace took. Load: processes that wanted a processor in the minute before. Private memory is what no file backs.

| trace | bytes | load | cat | wc -l | index | answers | MB/s | MB/s without answers | of cat | private memory | resident | index / trace |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
${reports.map(indexRow).join('\n')}

## First answers after opening a trace without an index, ms

| trace | records since open | since start of process | heat since open | since start of process |
|---|---|---|---|---|
${reports.map(firstRow).join('\n')}

## Answers on the indexed trace, ms, p50 / p95

As the caller sees them, the way to the engine's thread and back included. Cold: the first question to an engine started for it. First: the first question at its place (${questions} places at random). Warm: the same again.

${reports.map(answerTable).join('\n\n')}

## Searches of the whole trace, MB/s of the trace

All matches are counted; the median of the times it was asked, and the slowest and the fastest.

${reports.map(searchTable).join('\n\n')}
`;
}

function indexRow({ case: { name }, bytes, runs, loadBefore }: CaseReport): string {
  const cat = runs.map(({ catSeconds }) => catSeconds);
  const index = runs.map((run) => run.index.seconds);
  const answers = runs.map((run) => run.index.preparedSeconds);
  const rate = (seconds: readonly number[]): string => (bytes / 1e6 / median(seconds)).toFixed(0);
  const most = (pick: (run: Run) => number | undefined): string =>
    `${(Math.max(...runs.map((run) => pick(run) ?? Number.NaN)) / 1e6).toFixed(0)} MB`;
  const share = (100 * median(runs.map((run) => run.index.indexBytes))) / bytes;
  return `| ${[
    name,
    String(bytes),
    loadBefore.toFixed(1),
    spread(cat),
    spread(runs.map(({ wcSeconds }) => wcSeconds)),
    spread(index),
    spread(answers),
    rate(index),
    rate(index.map((seconds, run) => seconds - answers[run]!)),
    `${(median(index) / median(cat)).toFixed(1)} x`,
    most((run) => run.index.peakPrivateBytes),
    most((run) => run.index.peakRssBytes),
    `${share.toFixed(2)} %`,
  ].join(' | ')} |`;
}

function firstRow({ case: { name }, first }: CaseReport): string {
  const column = (pick: (answers: FirstAnswers) => number | undefined): string => {
    const all = first.map(pick).filter((one) => one !== undefined);
    if (all.length === 0) return 'no addresses';
    return `${median(all).toFixed(0)} (${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)})`;
  };
  return `| ${[
    name,
    column((all) => all.recordsSinceOpen),
    column((all) => all.recordsSinceStart),
    column((all) => all.heatSinceOpen),
    column((all) => all.heatSinceStart),
  ].join(' | ')} |`;
}

function answerTable({ case: { name }, answers }: CaseReport): string {
  const rows = answers.questions.map(
    ({ question, cold, first, warm }) =>
      `| ${[question, percentiles(cold), percentiles(first), percentiles(warm)].join(' | ')} |`,
  );
  return `### ${name}

Reopening until all panes have their answers: ${percentiles(answers.reopen)}.${leftOut(answers)}

| question | cold | first | warm |
|---|---|---|---|
${rows.join('\n')}`;
}

function leftOut({ leftOut: questions }: Answers): string {
  return questions.length === 0
    ? ''
    : ` Not asked, since the trace has nothing to ask it about: ${questions.join('; ')}.`;
}

function searchTable({ case: { name }, bytes, answers }: CaseReport): string {
  const speed = (seconds: number): string => (bytes / 1e6 / seconds).toFixed(0);
  const rows = answers.searches.map(
    ({ search, found, seconds }) =>
      `| ${[search, String(found), `${speed(median(seconds))} (${speed(Math.max(...seconds))} to ${speed(Math.min(...seconds))})`].join(' | ')} |`,
  );
  return `### ${name}

| search | matches | MB/s |
|---|---|---|
${rows.join('\n')}`;
}

function spread(seconds: readonly number[]): string {
  return `${median(seconds).toFixed(2)} s (${Math.min(...seconds).toFixed(2)} to ${Math.max(...seconds).toFixed(2)})`;
}

function percentiles(all: readonly number[]): string {
  if (all.length === 0) return 'none';
  return `${percentile(all, 0.5).toFixed(1)} / ${percentile(all, 0.95).toFixed(1)}`;
}

function median(all: readonly number[]): number {
  return percentile(all, 0.5);
}

/** The smallest value not exceeded by at least this fraction of all values. */
function percentile(all: readonly number[], part: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}
