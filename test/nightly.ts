// Runs the long form of every test, and damaged inputs by the thousand, and records the result in test/nightly.md. Screenshots go to
// artefacts/, among them each story on each format in three sizes and two themes:
//   node test/nightly.ts [--inputs 100000]
// Needs Node 24, and set-up with `npm run setup`. Takes about an hour on two idle cores.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const RESULT = fileURLToPath(new URL('./nightly.md', import.meta.url));

interface Outcome {
  readonly what: string;
  readonly command: string;
  readonly passed: boolean;
  readonly minutes: number;
  /** Last lines printed by the command. */
  readonly lines: readonly string[];
}

const { values } = parseArgs({ options: { inputs: { type: 'string', default: '100000' } } });

const outcomes = [
  await runPart('Every test in its long form', ['build/test.mjs'], 1),
  await runPart('Damaged inputs of every format', ['test/laws/fuzz-long.ts', '--inputs', values.inputs], 50),
  await runPart('Journeys with late answers', ['build/test.mjs', 'test/app/journey', 'test/app/stories'], 1, {
    LATE_ANSWERS: '300',
  }),
];
writeFileSync(RESULT, page(outcomes));
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;

/** Runs a program of the project to its end; keeps its last lines. */
async function runPart(
  what: string,
  args: readonly string[],
  lastLines: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, TRACEBENCH_NIGHTLY: '1', TRACEBENCH_SCREENSHOTS: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const set = Object.entries(env).map(([name, value]) => `${name}=${value} `);
  return {
    what,
    command: `${set.join('')}node ${args.join(' ')}`,
    passed: code === 0,
    minutes: (performance.now() - started) / 60_000,
    lines: output.trimEnd().split('\n').slice(-lastLines),
  };
}

function page(all: readonly Outcome[]): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const processors = cpus();
  const parts = all.map(
    ({ what, command, passed, minutes, lines }) => `## ${what}

\`${command}\` ${passed ? 'passed' : '**failed**'} after ${minutes.toFixed(0)} minutes:

\`\`\`
${lines.join('\n')}
\`\`\`
`,
  );
  return `# Last nightly run

${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${String(processors.length)} x ${processors[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}.
\`node test/nightly.ts\` writes this file.

${parts.join('\n')}`;
}
