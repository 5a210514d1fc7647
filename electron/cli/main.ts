/**
 * Entry point of the command line: `tracebench <command> TRACE [options]`. Checks that this version of Node can load native code
 * before anything else is loaded.
 */
import { fileURLToPath } from 'node:url';
import { explain } from './last-words.ts';
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
  await keepCompiledCode();
  const { run } = await import('./run.ts');
  return run(args);
}

/**
 * Keeps the code that V8 compiles from the bundles in a folder beside them, for this thread and those that it starts: the next run starts
 * sooner. Where the folder cannot be written, nothing is kept. The import is dynamic because older versions of Node lack the function, and
 * they must reach the message above.
 */
async function keepCompiledCode(): Promise<void> {
  // Run from its sources, the program writes nothing among them.
  if (import.meta.url.endsWith('.ts')) return;
  const { constants, enableCompileCache } = await import('node:module');
  const folder = fileURLToPath(new URL('.compiled', import.meta.url));
  if (enableCompileCache(folder).status === constants.compileCacheStatus.ENABLED)
    process.env['NODE_COMPILE_CACHE'] = folder;
}
