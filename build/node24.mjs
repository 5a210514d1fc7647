// Runs a tool of node_modules under Node 24, whatever Node npm runs under: `node build/node24.mjs FILE ARGUMENTS`.
import { follow } from './follow.mjs';
import { findNode24 } from './setup/node24.mjs';
import { root } from './setup/project.mjs';

const node = findNode24();
if (node) {
  follow(node, process.argv.slice(2), { cwd: root });
} else {
  process.stderr.write('tracebench: Node 24 is not here yet: run `npm run setup` once\n');
  process.exitCode = 1;
}
