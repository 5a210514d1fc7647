/**
 * THE LIST of requests between a client (page, command line) and the engine, and the interface of every client.
 *
 * Arguments are one object per request. All answers but those of `formats`, `folder`, `detect`, `preview`, `images`, of bundles in files and of
 * shared/requests/kept.ts are about one open trace. While its index is built they are exact for the indexed prefix, and `reach` reports how long that is. Long
 * arrays of numbers are Float64Array.
 *
 * A new request is a definition in one of the files below; the compiler then requires its implementation in electron/engine/requests.ts.
 */
import { ADDRESS_REQUESTS } from './addresses.ts';
import { BUNDLE_REQUESTS } from './bundle/bundles.ts';
import { COMPARE_REQUESTS } from './compare.ts';
import { DIFF_REQUESTS } from './diff.ts';
import { EXPORT_REQUESTS } from './tables/export.ts';
import { FLOW_REQUESTS } from './flow.ts';
import { IMAGE_REQUESTS } from './image-match.ts';
import { KEPT_REQUESTS } from './kept.ts';
import { NOTE_REQUESTS } from './notes.ts';
import { PROFILE_REQUESTS } from './profile.ts';
import { RECORD_REQUESTS } from './records.ts';
import { REPORT_REQUESTS } from './reports.ts';
import type { ArgumentsOf, RequestDefinition } from './request.ts';
import { pathText, problemOf, type Schema } from './schema.ts';
import { SQL_REQUESTS } from './sql/sql.ts';
import { SOURCE_REQUESTS } from './source/source.ts';
import { TRACE_REQUESTS } from './trace.ts';
import { VARIABLE_REQUESTS } from './variables.ts';
import { WATCH_REQUESTS } from './watches.ts';
import { WHY_REQUESTS } from './why.ts';
import { fail, ok, type Result } from '../base/result.ts';

export * from './addresses.ts';
export * from './failures.ts';
export * from './image-match.ts';
export * from './kept.ts';
export * from './records.ts';
export * from './trace.ts';

export const REQUESTS = {
  ...TRACE_REQUESTS,
  ...RECORD_REQUESTS,
  ...EXPORT_REQUESTS,
  ...ADDRESS_REQUESTS,
  ...FLOW_REQUESTS,
  ...PROFILE_REQUESTS,
  ...NOTE_REQUESTS,
  ...REPORT_REQUESTS,
  ...IMAGE_REQUESTS,
  ...KEPT_REQUESTS,
  ...WATCH_REQUESTS,
  ...VARIABLE_REQUESTS,
  ...WHY_REQUESTS,
  ...DIFF_REQUESTS,
  ...COMPARE_REQUESTS,
  ...SOURCE_REQUESTS,
  ...SQL_REQUESTS,
  ...BUNDLE_REQUESTS,
} as const;

export type Requests = typeof REQUESTS;
export type RequestName = keyof Requests;
export type Arguments<N extends RequestName> = ArgumentsOf<Requests[N]>;
export type Answer<N extends RequestName> = NonNullable<Requests[N]['answer']['type']>;
export type RequestEvent<N extends RequestName> =
  Requests[N] extends RequestDefinition<Schema, unknown, infer E> ? E : never;

/** Every client: the engine in the same process, or the wire. */
export interface Client {
  request<N extends RequestName>(name: N, args: Arguments<N>, options?: RequestOptions<N>): Promise<Result<Answer<N>>>;
}

export interface RequestOptions<N extends RequestName> {
  readonly signal?: CancelSignal;
  readonly onEvent?: (event: RequestEvent<N>) => void;
}

/** The used part of an AbortSignal: this layer has no platform types. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export function isRequestName(name: string): name is RequestName {
  return Object.hasOwn(REQUESTS, name);
}

/** Checks arguments from outside the program. Fails with `usage` and a sentence about the first wrong one. */
export function checkArguments<N extends RequestName>(name: N, value: unknown): Result<Arguments<N>> {
  const problem = problemOf(REQUESTS[name].arguments, value);
  if (problem === undefined) return ok(value as Arguments<N>);
  return fail('usage', `${name}: ${`${pathText(problem.path)} ${problem.must}`.trim()}.`);
}
