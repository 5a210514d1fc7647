/** Which exit code a failure ends with: 1 the input cannot be used, 2 wrong usage, 130 interrupted. */
import { CANCELLED } from '../../shared/requests/failures.ts';
import type { Failure } from '../../shared/base/result.ts';

export function exitCode({ code }: Failure): number {
  return code === CANCELLED ? 130 : isUsage(code) ? 2 : 1;
}

/** True for what the person must write differently, whatever the file is. */
export function isUsage(code: string): boolean {
  return USAGE.has(code);
}

/** Codes of the command line, of the engine and of the formats' options. */
const USAGE: ReadonlySet<string> = new Set([
  'usage',
  'no-such-format',
  'unknown-option',
  'unknown-value',
  'unknown-dialect',
]);
