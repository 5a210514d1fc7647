/** Sentences about what no command can handle. */

/** Returns the line about an error of the program itself. */
export function explain(error: unknown): string {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  const details = process.env['TRACEBENCH_DEBUG']
    ? stack
    : `${message}; please report this with the command that you used`;
  return `tracebench: internal error: ${details}\n`;
}

/** Returns the sentence about a standard output that cannot be written. */
export function outputProblem(problem: string): string {
  return `standard output: ${problem}`;
}
