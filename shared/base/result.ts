/**
 * The outcome of what can fail in expected ways: a wrong file, a full disk, a cancelled call.
 * A bug is an exception; bad bytes in a trace are counted diagnostics; everything else that can go wrong is a Result.
 */

/** What is wrong, where and what to do, in one sentence for a person; `code` is for programs and tests. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

export type Result<T, E = Failure> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function fail(code: string, message: string): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: { code, message } };
}

/** For conditions that only our own mistake can break. */
export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`internal error: ${what}`);
}
