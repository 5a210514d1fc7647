/**
 * Compares XScale trace buffers with images: between two known addresses, the branches of a buffer must be a path through the image. The
 * buffers come from blocks that are spread evenly over the indexed part, so the work is bounded.
 */
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber } from '../../../../shared/base/units.ts';
import type { CaptureContent } from '../../flow/captures/content.ts';
import { createPathFits, type PathFit } from '../../flow/captures/fits.ts';
import { blocksAround, visitCapturesIn } from '../../flow/captures/visit.ts';
import type { Image } from '../../image/image.ts';
import type { BlockStart } from '../../index/blocks.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { MOST_RECORDS, pieces } from './sample.ts';

export interface PathComparison {
  /** Number of compared paths, and of those that the image allows. */
  readonly checked: number;
  readonly matching: number;
  /** The same for the addresses at which they begin; at a matching one, the image allows all paths. */
  readonly distinct: { readonly checked: number; readonly matching: number };
  /** Number of distinct branches on the paths that the image allows. */
  readonly branches: number;
  /** The first path that the image does not allow. */
  readonly first: PathFit | undefined;
}

export interface PathComparisons {
  /** By image. */
  readonly images: readonly PathComparison[];
  /** Number of records in the sample, and in the indexed part of the trace. */
  readonly records: number;
  readonly of: number;
}

/** Compares images with the same sample of captures. */
export function* comparePaths(trace: Trace, images: readonly Image[]): Steps<PathComparisons> {
  const tallies = images.map((image) => createTally(createPathFits(trace, image)));
  let records = 0;
  for (const { block, to } of pieces(trace, MOST_RECORDS)) {
    const captures = capturesOf(trace, block, to);
    if (!captures.ok) return captures;
    for (const capture of captures.value) {
      records += capture.records;
      for (const { add } of tallies) {
        add(capture);
        yield capture.first;
      }
    }
  }
  return ok({ images: tallies.map(({ result }) => result()), records, of: Math.max(records, trace.blocks.records) });
}

function createTally(fitsOf: ReturnType<typeof createPathFits>) {
  const byStart = new Map<number, boolean>();
  const sources = new Set<number>();
  let checked = 0;
  let matching = 0;
  let first: PathFit | undefined;
  return {
    add(capture: CaptureContent): void {
      for (const path of fitsOf?.(capture) ?? []) {
        checked++;
        if (path.fits) matching++;
        else first ??= path;
        for (const source of path.sources) sources.add(source);
        byStart.set(path.from, path.fits && byStart.get(path.from) !== false);
      }
    },
    result(): PathComparison {
      const distinct = { checked: byStart.size, matching: [...byStart.values()].filter((fits) => fits).length };
      return { checked, matching, distinct, branches: sources.size, first };
    },
  };
}

/** Returns the captures that begin in the first `most` records of a block. */
function capturesOf(trace: Trace, block: BlockNumber, most: number): Result<readonly CaptureContent[]> {
  const { reader, blocks, batch } = trace;
  const found: CaptureContent[] = [];
  const start = (at: BlockNumber): BlockStart => ({
    block: at,
    entry: blocks.entry(at),
    firstRecord: blocks.firstRecord(at),
  });
  const isKnown = block < blocks.length;
  const [from, next] = isKnown ? blocksAround(trace, block, block + 1) : [0, 1];
  const starts = isKnown
    ? Array.from({ length: next - from }, (_, i) => start(from + i))
    : [{ block, entry: { position: 0, state: reader.decoder.initial }, firstRecord: 0 }];
  const own = isKnown ? blocks.firstRecord(block) : 0;
  const visited = visitCapturesIn(reader, batch, starts, (capture) => {
    if (capture.first >= own + most) return false;
    if (capture.first >= own && capture.entries.length > 0) found.push(capture);
    return true;
  });
  return visited.ok ? ok(found) : visited;
}
