// `npm run check`: format, lint, types layer by layer, English, commit subjects, layers and unit tests. Runs every check even if one fails.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { findNode24 } from './setup/node24.mjs';
import { inside, root } from './setup/project.mjs';

/** Name, program (absolute, or inside node_modules), arguments. @type {readonly (readonly [string, string, readonly string[]])[]} */
const checks = [
  ['format', 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']],
  ['lint', 'eslint/bin/eslint.js', ['--max-warnings', '0', '.']],
  ['types of shared', 'typescript/bin/tsc', ['-p', 'shared']],
  ['types of present', 'typescript/bin/tsc', ['-p', 'present']],
  ['types of electron', 'typescript/bin/tsc', ['-p', 'electron']],
  [
    'types of renderer',
    'svelte-check/bin/svelte-check',
    ['--tsconfig', 'renderer/tsconfig.json', '--fail-on-warnings'],
  ],
  ['types of test', 'typescript/bin/tsc', ['-p', 'test']],
  ['types of build', 'typescript/bin/tsc', ['-p', '.']],
  ['English', inside('build', 'check-english.ts'), []],
  ['commit subjects', inside('build', 'commit-message.mjs'), []],
  ['layers and units', 'vitest/vitest.mjs', ['run', '--project', 'unit']],
];

const node = findNode24() ?? process.execPath;
const failed = checks.filter(([name, program, args]) => {
  const done = spawnSync(node, [resolve(inside('node_modules'), program), ...args], { cwd: root, stdio: 'inherit' });
  process.stdout.write(`${done.status === 0 ? 'ok    ' : 'FAILED'} ${name}\n`);
  return done.status !== 0;
});
process.exitCode = failed.length > 0 ? 1 : 0;
