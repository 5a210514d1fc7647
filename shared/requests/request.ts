/** The definition of one request: its arguments as a schema, and the types of its answer and its events. */
import type * as v from 'valibot';
import type { Checked, Schema } from './schema.ts';

/** A type without a value: answers come from the engine and are not checked. */
export interface Type<T> {
  readonly type?: T;
}

export function type<T>(): Type<T> {
  return {};
}

export interface RequestDefinition<S extends Schema = Schema, A = unknown, E = unknown, L = unknown> {
  /** Arguments that anybody may send. */
  readonly arguments: S;
  /** Further arguments that only callers in the same program may give: the wire refuses them. */
  readonly local?: Type<L>;
  readonly answer: Type<A>;
  /** Events that are sent before the answer. */
  readonly event?: Type<E>;
  /**
   * Text of answers and events comes from traces and images by default, so hidden characters in it are made visible before a person
   * sees it. `raw` answers are kept as they are: people wrote them, or they are files.
   */
  readonly text?: 'raw';
  /** Upper limit of the arguments as JSON, in bytes; 64 KiB by default. */
  readonly bodyBytes?: number;
  /** True if sending it twice differs from sending it once, or costs as much again: it is not repeated after a lost connection. */
  readonly once?: boolean;
}

/* @__NO_SIDE_EFFECTS__ */
export function request<const S extends Schema, A, E = never, L = unknown>(
  definition: RequestDefinition<S, A, E, L>,
): RequestDefinition<S, A, E, L> {
  return definition;
}

export type ArgumentsOf<D extends RequestDefinition> =
  D extends RequestDefinition<infer S, unknown, unknown, infer L> ? Checked<S> & L : never;
export type WireArguments<D extends RequestDefinition> = v.InferInput<D['arguments']>;
