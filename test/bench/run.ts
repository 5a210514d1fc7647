// The benchmark: speed of indexing and of answers, compared with reading the bare file.
// Not part of the test run; see `node test/bench/run.ts --help`. Keeps its inputs for the next run.
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sample } from '../../electron/sample/sample.ts';
import { measure } from './children.ts';
import type { Answers, FirstAnswers } from './questions.ts';
import { type CaseReport, type Run, writeReport } from './report.ts';
import { type Case, readSettings, type Settings, USAGE } from './settings.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const QUESTIONS = fileURLToPath(new URL('questions.ts', import.meta.url));
const REPORTS = fileURLToPath(new URL('reports', import.meta.url));

const args = process.argv.slice(2);
if (args.includes('--help')) process.stdout.write(`${USAGE}\n`);
else await main(readSettings(args));

async function main(settings: Settings): Promise<void> {
  if (!existsSync(CLI)) throw new Error('dist/cli.js is missing: run `npm run setup` first');
  mkdirSync(settings.folder, { recursive: true });
  const reports: CaseReport[] = [];
  for (const one of settings.cases) {
    reports.push(await measureCase(one, settings));
    // Written after every case, so that an interrupted run keeps its results.
    say(`report so far: ${writeReport(REPORTS, settings, reports)}`);
  }
}

async function measureCase(one: Case, settings: Settings): Promise<CaseReport> {
  const input = await makeInput(one, settings);
  const indexes = join(settings.folder, `${one.name}.index`);
  const afresh = (): void => rmSync(indexes, { recursive: true, force: true });

  const [loadBefore = 0] = loadavg();
  await measure('cat', [input.path], false);
  const runs: Run[] = [];
  for (let k = 0; k < settings.runs; k++) {
    const cat = await measure('cat', [input.path], false);
    const wc = await measure('wc', ['-l', input.path], false);
    afresh();
    runs.push({ catSeconds: cat.seconds, wcSeconds: wc.seconds, index: await index(one, input.path, indexes) });
    say(`${one.name}: indexed in ${runs.at(-1)!.index.seconds.toFixed(2)} s, cat ${cat.seconds.toFixed(2)} s`);
  }
  const answers = await questions<Answers>('answer', one, input.path, indexes, settings.questions, settings.seed);
  const first: FirstAnswers[] = [];
  for (let k = 0; k < settings.runs; k++) {
    afresh();
    first.push(await questions<FirstAnswers>('first', one, input.path, indexes));
  }
  afresh();
  const { bytes, records, makingSeconds } = input;
  return { case: one, bytes, records, makingSeconds, loadBefore, runs, first, answers };
}

interface Input {
  readonly path: string;
  readonly bytes: number;
  readonly records: number;
  readonly makingSeconds: number | null;
}

/** Generates the trace, or reuses one that an earlier run generated with the same arguments. */
async function makeInput(one: Case, { folder, seed }: Settings): Promise<Input> {
  const path = join(folder, `${one.name}.trace`);
  const facts = `${path}.json`;
  const wanted = { format: one.format, locality: one.locality, size: one.bytes, seed };
  if (existsSync(path) && existsSync(facts)) {
    const known = JSON.parse(readFileSync(facts, 'utf8'));
    if (JSON.stringify(known.wanted) === JSON.stringify(wanted) && statSync(path).size === known.bytes) {
      return { path, bytes: known.bytes, records: known.records, makingSeconds: null };
    }
  }
  const started = performance.now();
  const made = await sample({ ...wanted, path });
  if (!made.ok) throw new Error(made.error.message);
  const makingSeconds = (performance.now() - started) / 1000;
  const { bytes, records } = made.value;
  writeFileSync(`${facts}.part`, JSON.stringify({ wanted, bytes, records }));
  renameSync(`${facts}.part`, facts);
  say(`${one.name}: made in ${makingSeconds.toFixed(1)} s`);
  return { path, bytes, records, makingSeconds };
}

async function index(one: Case, path: string, indexes: string): Promise<Run['index']> {
  const command = [CLI, 'index', path, '--format', one.opened, '--json', '--quiet', '--force', '--index-dir', indexes];
  const { output, ...measured } = await measure(process.execPath, command, true);
  const { indexBytes, jobs, reader, complete, preparedSeconds = 0 } = JSON.parse(output);
  if (complete === false) throw new Error('the index is not complete');
  return { ...measured, indexBytes, jobs, reader, preparedSeconds };
}

async function questions<T extends Answers | FirstAnswers>(
  what: 'first' | 'answer',
  one: Case,
  path: string,
  indexes: string,
  ...more: readonly number[]
): Promise<T> {
  const command = [QUESTIONS, what, path, one.opened, indexes, ...more.map(String)];
  const { output } = await measure(process.execPath, command, true);
  const answers: T = JSON.parse(output);
  return answers;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
