#!/usr/bin/env node
// The `tracebench` command: finds Node 24, whatever Node started this, and runs the bundled command line under it.
import { existsSync } from 'node:fs';
import { follow } from './follow.mjs';
import { findNode24 } from './setup/node24.mjs';
import { inside } from './setup/project.mjs';

const node = findNode24();
const program = inside('dist', 'cli.js');
if (node && existsSync(program)) {
  follow(node, [program, ...process.argv.slice(2)]);
} else {
  process.stderr.write('tracebench: set-up has not run yet: run `npm run setup` in the project once\n');
  process.exitCode = 1;
}
