/** THE LIST of formats whose records are followed through the program image, and what an open trace needs for that. */
import type { Format } from '../../../../shared/format/format.ts';
import { assert } from '../../../../shared/base/result.ts';
import type { Images } from '../../image/images.ts';
import { shareCode, type SharedCode } from '../../image/shared-code.ts';
import { xscaleFlow } from '../captures/index.ts';
import type { FollowedTrace, ImageFlow } from './image-flow.ts';

const IMAGE_FLOWS: readonly ImageFlow[] = [xscaleFlow];

/** Returns the image flow of a format, or undefined if its records are branch events on their own. */
export function imageFlowOf({ id, branches }: Format): ImageFlow | undefined {
  if (branches?.followed !== true) return undefined;
  const flow = IMAGE_FLOWS.find(({ format }) => format === id);
  assert(flow !== undefined, 'a format whose records are followed has an image flow');
  return flow;
}

/** An image flow and the code that it follows, shared with the threads of the pool. */
export interface Followed {
  readonly flow: ImageFlow;
  readonly code: SharedCode;
}

/** By images: their code; null if none of them has bytes. */
const CODE = new WeakMap<Images, SharedCode | null>();

/** Returns how to follow a trace's records, or undefined if they are events on their own or no image has bytes. */
export function followedOf({ reader, images }: Pick<FollowedTrace, 'reader' | 'images'>): Followed | undefined {
  const flow = imageFlowOf(reader.decoder.format);
  if (flow === undefined) return undefined;
  let code = CODE.get(images);
  if (code === undefined) {
    code = images.list.every(({ segments }) => segments.length === 0) ? null : shareCode(images);
    CODE.set(images, code);
  }
  return code === null ? undefined : { flow, code };
}
