/** Classifies failures by their codes: exit codes, and which failures are about the trace. */
import { BAD_IMAGE, CANCELLED } from '../../shared/requests/failures.ts';
import type { Failure } from '../../shared/base/result.ts';

/** No image has a symbol of the given name. */
export const NO_SUCH_SYMBOL = 'no-such-symbol';
/** Several symbols have the given name. */
export const AMBIGUOUS_SYMBOL = 'ambiguous-symbol';

/** Returns 1 if the input cannot be used, 2 for wrong usage, 130 after an interrupt. */
export function exitCode({ code }: Failure): number {
  return code === CANCELLED ? 130 : isUsage(code) ? 2 : 1;
}

/** True if the command was wrong, whatever the files contain. */
export function isUsage(code: string): boolean {
  return USAGE.has(code);
}

/** True if the message should begin with the name of the trace. */
export function isAboutTrace(code: string): boolean {
  if (isUsage(code) || OTHER_FILES.has(code)) return false;
  return !code.startsWith('notebook-') && !code.startsWith('report-');
}

/** Codes of the command line, of the engine and of format options. */
const USAGE: ReadonlySet<string> = new Set([
  'usage',
  'no-such-format',
  'unknown-option',
  'unknown-value',
  'unknown-dialect',
]);

/** Codes of failures about other files than the trace, or about none. */
const OTHER_FILES: ReadonlySet<string> = new Set([
  CANCELLED,
  BAD_IMAGE,
  'unwritable',
  NO_SUCH_SYMBOL,
  AMBIGUOUS_SYMBOL,
  'import',
  'bundle',
  'merge',
]);
