/**
 * The command line: `tracebench <command> TRACE [options]`. This file only makes sure that the Node it runs under can
 * load what the rest needs, before anything of the rest is loaded.
 */
const NODE_API = 10;

if (Number(process.versions.napi) < NODE_API) {
  process.stderr.write(
    `tracebench: this is Node ${process.versions.node}, but Node 24 is needed: run \`npm run setup\` once and start it with \`npx tracebench\`\n`,
  );
  process.exitCode = 1;
} else {
  try {
    const { run } = await import('./run.ts');
    process.exitCode = await run(process.argv.slice(2));
  } catch (error) {
    const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
    const told = process.env['TRACEBENCH_DEBUG'] ? stack : `${message}; please report it with the command you gave`;
    process.stderr.write(`tracebench: internal error: ${told}\n`);
    process.exitCode = 1;
  }
}
