/**
 * Entry point of the command line: `tracebench <command> TRACE [options]`. Checks that this version of Node can load native code
 * before anything else is loaded.
 */
const NODE_API = 10;

if (Number(process.versions.napi) < NODE_API) {
  process.stderr.write(
    `tracebench: this is Node ${process.versions.node}, but Node 24 is required; run \`npm run setup\` and start with \`npx tracebench\`\n`,
  );
  process.exitCode = 1;
} else {
  try {
    const { run } = await import('./run.ts');
    process.exitCode = await run(process.argv.slice(2));
  } catch (error) {
    const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
    const details = process.env['TRACEBENCH_DEBUG']
      ? stack
      : `${message}; please report this with the command that you used`;
    process.stderr.write(`tracebench: internal error: ${details}\n`);
    process.exitCode = 1;
  }
}
