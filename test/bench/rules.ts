/**
 * Measures what each inference rule of electron/engine/flow gains: the share of branches and frames that are right, wrong
 * or unknown with all rules, and without each of them. Prints the two tables of electron/engine/flow/README.md.
 *
 *     node test/bench/rules.ts [--only TEXT]
 *
 * Not part of the test run. A rule is switched off in a process of its own, where its source is patched as it is loaded
 * (see rules/list.ts), so that the engine itself has no switches.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { startEngine } from '../../electron/engine/engine.ts';
import { makeCases, type Case } from './rules/corpus.ts';
import { RULES, WITHOUT, type Rule } from './rules/list.ts';
import { createScore, measure, type Score, type Share } from './rules/score.ts';

const PATCH = new URL('rules/patch.ts', import.meta.url).href;

type Scores = Readonly<Record<string, Score>>;

const WHAT = ['branches', 'frames'] as const;

const [mode, value = '', cases = ''] = process.argv.slice(2);
if (mode === '--without') await child(value, cases);
else await compareAll(mode === '--only' ? value : '');

/** Prints the scores of all corpora as JSON, with the rule of a name switched off. */
async function child(name: string, casesFile: string): Promise<void> {
  const rule = RULES.find((each) => each.name === name);
  const engine = startEngine({ jobs: 1, indexDirectory: `${casesFile}.index` });
  const scores: Record<string, Score> = {};
  for (const each of deserialize(fs.readFileSync(casesFile)) as readonly Case[]) {
    if (rule !== undefined && !concerns(rule, each)) continue;
    scores[each.corpus] ??= createScore();
    await measure(engine, each, scores[each.corpus]!);
  }
  await engine.close();
  process.stdout.write(JSON.stringify(scores));
}

function concerns({ only }: Rule, { open, hasImage }: Case): boolean {
  if (only === 'instructions') return open.format === 'tarmac';
  if (only === 'messages with image') return hasImage && open.format !== 'tarmac';
  return only === undefined || !hasImage;
}

async function compareAll(only: string): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-rules-'));
  try {
    const file = path.join(folder, 'cases');
    fs.writeFileSync(file, serialize(await makeCases(folder)));
    const all = scoresWithout('', file);
    process.stdout.write(`${rows(all)}\n\n| Rule | File | Branches | Frames |\n| --- | --- | --- | --- |\n`);
    for (const rule of RULES.filter(({ name, file }) => `${name} ${file}`.includes(only))) {
      const without = scoresWithout(rule.name, file);
      const gains = WHAT.map((what) => greatestGain(all, without, what));
      process.stdout.write(`| ${[rule.name, `\`${rule.file}\``, ...gains].join(' | ')} |\n`);
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function scoresWithout(name: string, cases: string): Scores {
  const args = ['--import', PATCH, process.argv[1]!, '--without', name, cases];
  const { status, stdout } = spawnSync(process.execPath, args, {
    env: { ...process.env, [WITHOUT]: name },
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`the measurement without "${name}" failed`);
  return JSON.parse(stdout) as Scores;
}

/** With all rules: a row for each corpus. */
function rows(scores: Scores): string {
  const head = '| Corpus | Branches right / wrong / unknown | Frames right / wrong / unknown |\n| --- | --- | --- |';
  const list = Object.entries(scores).map(
    ([corpus, { branches, frames }]) => `| ${corpus} | ${shareOf(branches)} | ${shareOf(frames)} |`,
  );
  return [head, ...list].join('\n');
}

function shareOf(share: Share): string {
  return percentOf(share)
    .map((percent) => percent.toFixed(2))
    .join(' / ');
}

function percentOf({ right, wrong, unknown }: Share): readonly number[] {
  const all = right + wrong + unknown;
  return [right, wrong, unknown].map((count) => (all === 0 ? 0 : (100 * count) / all));
}

/** The gain of a rule on the corpus where it changes most: right / wrong / unknown in percentage points; 0 below 0.01 points. */
function greatestGain(all: Scores, without: Scores, what: (typeof WHAT)[number]): string {
  const gains = Object.entries(without).map(([corpus, score]) => {
    const after = percentOf(score[what]);
    const gain = percentOf(all[corpus]![what]).map((percent, i) => percent - after[i]!);
    return { corpus, gain, size: Math.max(...gain.map(Math.abs)) };
  });
  const { corpus, gain, size } = gains.reduce((a, b) => (b.size > a.size ? b : a));
  if (size < 0.01) return '0';
  const points = gain.map((each) => (Math.abs(each) < 0.005 ? '+0.00' : `${each < 0 ? '' : '+'}${each.toFixed(2)}`));
  return `${points.join(' / ')} (${corpus})`;
}
