/** Messages between a host and its engine. */
import type { RequestName } from '../../../shared/requests/requests.ts';
import type { Result } from '../../../shared/base/result.ts';

export type ToEngine =
  | { readonly type: 'request'; readonly id: number; readonly name: RequestName; readonly args: unknown }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'close' };

export type FromEngine =
  | { readonly type: 'answer'; readonly id: number; readonly answer: Result<unknown> }
  | { readonly type: 'event'; readonly id: number; readonly event: unknown };
