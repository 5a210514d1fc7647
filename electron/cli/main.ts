/**
 * Entry point of the command line: `tracebench <command> TRACE [options]`. Checks that this version of Node can load native code
 * before anything else is loaded.
 */
import { fileURLToPath } from 'node:url';
import { KEPT_FOLDER, loadScript } from '../kept-code.ts';
import { explain } from './last-words.ts';
import type * as Run from './run.ts';
import { delegate } from './session/delegate.ts';

const NODE_API = 10;

if (Number(process.versions.napi) < NODE_API) {
  process.stderr.write(
    `tracebench: this is Node ${process.versions.node}, but Node 24 is required; run \`npm run setup\` and start with \`npx tracebench\`\n`,
  );
  process.exitCode = 1;
} else {
  process.on('uncaughtException', (error) => {
    process.stderr.write(explain(error));
    process.exit(1);
  });
  const args = process.argv.slice(2);
  try {
    process.exitCode = (await inSession(args)) ?? (await here(args));
  } catch (error) {
    process.stderr.write(explain(error));
    process.exitCode = 1;
  }
}

async function inSession(args: readonly string[]): Promise<number | undefined> {
  return process.env['TRACEBENCH_SESSION'] === 'no' ? undefined : delegate(args);
}

async function here(args: readonly string[]): Promise<number> {
  const { run } = await loadCommands();
  return run(args);
}

async function loadCommands(): Promise<typeof Run> {
  const here = import.meta.url;
  // Run from its sources, the program writes nothing among them.
  if (here.endsWith('.ts')) return (await import(new URL('./run.ts', here).href)) as typeof Run;
  // Threads of the program, and processes that it starts, keep their code in Node's way.
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL(KEPT_FOLDER, here));
  return loadScript(fileURLToPath(new URL('./run.cjs', here))) as typeof Run;
}
