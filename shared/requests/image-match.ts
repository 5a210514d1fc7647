/** Requests that compare program images with a trace. */
import { request, type } from './request.ts';
import { object, optional } from './schema.ts';
import { images, ofTrace, type ImagePlace, type ImageProgress } from './trace.ts';
import type { Hex, RecordNumber } from '../base/units.ts';

export const IMAGE_REQUESTS = {
  /**
   * Compares images with what the trace shows of the program: those of the trace, unless others are given. A long trace is sampled, so the time does not depend on
   * its length. While nothing is indexed, the sample is the first block.
   */
  imageMatches: request({
    arguments: object({ ...ofTrace, images: optional(images) }),
    /** In the order of the images. */
    answer: type<{ readonly images: readonly ImageMatch[] }>(),
    event: type<ImageProgress>(),
  }),
  /** Compares the ELF files in the folder of the trace with it, and chooses the one that is the program. */
  imagesBeside: request({
    arguments: object(ofTrace),
    answer: type<ImagesBeside>(),
    event: type<ImageProgress>(),
  }),
} as const;

export interface ImageMatch {
  /**
   * Facts of the trace that were compared: opcodes or only addresses of executed instructions, addresses of fetches, branches, paths of
   * branches between two known addresses; `none` if the trace has none of them, or the image has no code.
   */
  readonly evidence: 'opcodes' | 'addresses' | 'fetches' | 'branches' | 'paths' | 'none';
  readonly verdict: ImageVerdict;
  /** Number of compared facts, and of those that the image does not contradict. */
  readonly checked: number;
  readonly matching: number;
  /** matching / checked; absent if nothing was compared. */
  readonly share?: number;
  /** Number of facts about addresses outside the image. They are among `checked` only if addresses are all that is compared. */
  readonly outside: number;
  /** Number of records of this kind in the indexed part of the trace, if only a sample of them was compared. */
  readonly sampledOf?: number;
  /**
   * The same counts for distinct instructions, sources of branches, or starts of paths: the verdict depends on these, because loops count
   * once.
   */
  readonly distinct?: { readonly checked: number; readonly matching: number };
  /** First difference in the sample. */
  readonly first?: {
    readonly n: RecordNumber;
    readonly address?: Hex;
    /** Opcodes in the trace and in the image. */
    readonly trace?: Hex;
    readonly image?: Hex;
    /** Branches: the target in the trace if it is known, and the instruction of the image at the source if there is one. */
    readonly target?: Hex;
    readonly instruction?: string;
  };
  /** Place at which the image matches; present if it does not match at its own. */
  readonly moved?: Pick<ImageMatch, 'checked' | 'matching' | 'distinct'> & { readonly place: ImagePlace };
  /** The result in one to three sentences. */
  readonly text: string;
}

/**
 * `match`: the image is the program that ran. `differs`: most of it is. `other-build`: it is probably another program or another build.
 * `other-machine`: it is code of another processor. `elsewhere`: it matches at another address. `unknown`: the trace does not show.
 */
export type ImageVerdict = 'match' | 'differs' | 'other-build' | 'other-machine' | 'elsewhere' | 'unknown';

/** Verdicts on images that are not the program, or not at their place. */
export const WRONG_IMAGES: ReadonlySet<ImageVerdict> = new Set(['other-build', 'other-machine', 'elsewhere']);

/**
 * Returns the index of the first image that a person should be warned of; -1 if there is none. Besides the verdicts on wrong images, there
 * are two results that no right image has in a whole trace: no compared fact lies in any image, or the image has no branch at any source
 * of a branch.
 *
 * @param isWhole the images were compared with the whole trace, not with its first block
 */
export function doubtfulImage(matches: readonly ImageMatch[], isWhole: boolean): number {
  const wrong = matches.findIndex(({ verdict }) => WRONG_IMAGES.has(verdict));
  if (wrong !== -1 || !isWhole) return wrong;
  const compared = matches.filter(({ evidence }) => evidence !== 'none');
  if (compared.length > 0 && compared.every(isUnused)) return matches.findIndex(isUnused);
  return matches.findIndex(
    ({ evidence, distinct }) => evidence === 'branches' && distinct?.matching === 0 && distinct.checked > 0,
  );
}

/** Returns true if no compared fact of the trace lies in the image. */
function isUnused({ evidence, checked, outside }: ImageMatch): boolean {
  const countsOutside = evidence === 'addresses' || evidence === 'fetches';
  return evidence !== 'none' && outside > 0 && checked === (countsOutside ? outside : 0);
}

export interface ImagesBeside {
  /** ELF files in the folder of the trace that could be read, best first. */
  readonly candidates: readonly { readonly place: ImagePlace; readonly match: ImageMatch }[];
  /** The image that is the program; absent if none is, or if several could be. */
  readonly chosen?: ImagePlace;
  /** Why this one, or why none. */
  readonly text: string;
}
