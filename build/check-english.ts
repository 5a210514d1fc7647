// Checks the English of every tracked source file and document; prints each finding as `path:line: found (write: advice)`.
// Arguments name files or folders to check; without any, everything tracked by git is checked.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findingsIn } from './english.ts';

const root = new URL('../', import.meta.url);
/** Contains the refused words on purpose. */
const OWN_TEST = 'test/unit/english.test.ts';
const pattern = /\.(ts|svelte|mjs|js|c|h|css|md)$/;

const listed = execFileSync('git', ['ls-files', '-z', ...process.argv.slice(2)], { cwd: root, encoding: 'utf8' });
const files = listed
  .split('\0')
  .filter((path) => pattern.test(path) && !path.startsWith('test/samples/') && path !== OWN_TEST);

let count = 0;
for (const path of files) {
  for (const { line, found, instead } of findingsIn(path, readFileSync(new URL(path, root), 'utf8'))) {
    process.stdout.write(`${path}:${line}: "${found}" (write: ${instead})\n`);
    count++;
  }
}
if (count > 0) process.stdout.write(`${count} findings in ${files.length} files\n`);
process.exitCode = count > 0 ? 1 : 0;
