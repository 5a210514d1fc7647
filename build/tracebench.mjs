#!/usr/bin/env node
// The `tracebench` command: runs the bundled command line in this process if this is Node 24, else under the Node 24 that set-up brought.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isNode24 } from './setup/is-node24.mjs';

const program = new URL('../dist/cli.js', import.meta.url);
if (isNode24() && existsSync(program)) await import(program.href);
else await findAndFollow();

async function findAndFollow() {
  const { findNode24 } = await import('./setup/node24.mjs');
  const node = findNode24();
  if (node && existsSync(program)) {
    const { follow } = await import('./follow.mjs');
    follow(node, [fileURLToPath(program), ...process.argv.slice(2)]);
  } else {
    process.stderr.write('tracebench: set-up has not run yet: run `npm run setup` in the project once\n');
    process.exitCode = 1;
  }
}
