/**
 * Program images of trace B. A trace that a comparison opens takes the images of trace A if it has none of its own, as on the command line.
 * Images that are not the program of B are dropped before they name anything.
 */
import { imagePlaceText } from '../../shared/requests/places/image-place.ts';
import { doubtfulImage, type ImagePlace } from '../../shared/requests/requests.ts';
import { nameOf } from './file-names.ts';
import type { TraceBase } from './trace-base.ts';

export interface Fitting {
  readonly images: readonly ImagePlace[];
  /** Why an image was dropped; undefined if none was. */
  readonly refusal: string | undefined;
}

/** Returns the images that can be the program of a trace, each at the place where it matches. The trace is indexed. */
export async function fittingImages(
  { client, id }: Pick<TraceBase, 'client' | 'id'>,
  images: readonly ImagePlace[],
): Promise<Fitting> {
  let refusal: string | undefined;
  let left = images;
  const moved = new Set<string>();
  while (left.length > 0) {
    const answer = await client.request('imageMatches', { trace: id, images: left });
    if (!answer.ok) return { images: [], refusal: answer.error.message };
    const at = doubtfulImage(answer.value.images, true);
    const match = answer.value.images[at];
    const image = left[at];
    if (!match || !image) break;
    const place = moved.has(image.path) ? undefined : match.moved?.place;
    if (place) moved.add(image.path);
    else refusal ??= match.text;
    left = place ? left.with(at, place) : left.toSpliced(at, 1);
  }
  return { images: left, refusal };
}

export function isSameImages(
  one: readonly ImagePlace[] | undefined,
  other: readonly ImagePlace[] | undefined,
): boolean {
  const textOf = (images: readonly ImagePlace[] = []): string => JSON.stringify(images.map(imagePlaceText));
  return textOf(one) === textOf(other);
}

/**
 * Returns a sentence about the images of trace B; undefined if neither trace has any, or both have the same.
 * @param refusal why images of A were dropped
 */
export function imagesWords(
  a: readonly ImagePlace[] | undefined,
  b: readonly ImagePlace[] | undefined,
  refusal: string | null,
): { readonly text: string; readonly title: string; readonly warns: boolean } | undefined {
  const names = (images: readonly ImagePlace[]): string => images.map(({ path }) => nameOf(path)).join(', ');
  const title = (b ?? []).map((place) => imagePlaceText(place)).join('\n');
  if (b !== undefined && b.length > 0) {
    const isMoved = !isSameImages(a, b) && a !== undefined && names(a) === names(b);
    const from = isSameImages(a, b) ? ', the same as A' : isMoved ? ', at another address than in A' : '';
    return { text: `Program of B: ${names(b)}${from}`, title, warns: false };
  }
  if (a === undefined || a.length === 0) return undefined;
  if (refusal === null) return { text: 'B has no program image, so its functions have no names', title, warns: true };
  return { text: `B has no program image: that of A does not fit. ${refusal}`, title: refusal, warns: true };
}
