/**
 * Compares captures with program images: between two known addresses, a buffer contains branches that the image must be able to take. If an
 * image allows no such path, the buffer and the image are of different programs.
 */
import { isException, vectorOf } from '../../../../shared/xscale/messages.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { createImages } from '../../image/images.ts';
import type { Image } from '../../image/image.ts';
import type { FollowedTrace } from '../events/image-flow.ts';
import { baseOf, codeOf, questionOf } from './capture-input.ts';
import type { CaptureContent } from './content.ts';
import { createFollower } from './xscale/follow.ts';
import { even } from './xscale/path.ts';

/** Path between two known addresses of a capture. */
export interface PathFit {
  /** Address at which it begins. */
  readonly from: number;
  /** Record of its first branch. */
  readonly n: RecordNumber;
  /** False if the image contradicts the buffer. */
  readonly fits: boolean;
  /** Addresses of its branches in the image; empty if it does not fit. */
  readonly sources: readonly number[];
}

/** Creates a function that returns the paths of a capture of which the image has the beginning; undefined if the image has no bytes. */
export function createPathFits(
  trace: Pick<FollowedTrace, 'reader'>,
  image: Image,
): ((capture: CaptureContent) => readonly PathFit[]) | undefined {
  const code = codeOf(createImages([image]));
  if (code === undefined) return undefined;
  const follower = createFollower();
  const base = baseOf(trace);
  return (capture) => {
    const question = questionOf(trace, capture, code);
    return follower.fits(question).map(({ entry, fits, sources }) => {
      const anchor = capture.entries[entry - 1];
      const from =
        anchor === undefined
          ? question.enabledAt
          : isException(anchor.message)
            ? (base + vectorOf(anchor.message)) >>> 0
            : anchor.target;
      return { from: even(from ?? 0), n: capture.first + entry, fits, sources };
    });
  };
}
