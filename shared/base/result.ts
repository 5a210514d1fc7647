/**
 * The outcome of an operation that can fail in expected ways: a wrong file, a full disk, a cancelled request.
 * A bug throws an exception, and bad bytes in a trace are counted as diagnostics. Every other failure is a Result.
 */

/** `message` says in one sentence for a person what is wrong, where, and what to do. `code` is for programs and tests. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** CPUs to choose from, if the request fails because it names none. */
  readonly cpus?: readonly number[];
}

export type Result<T, E = Failure> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function fail(code: string, message: string): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: { code, message } };
}

/** Throws if a condition is false that only a bug of Tracebench can break. `expectation` states the condition. */
export function assert(condition: unknown, expectation: string): asserts condition {
  if (!condition) throw new Error(`internal error: ${expectation}`);
}
