/** A heatmap that the index kept is an answer like any other: its arrays can be given away, and are kept all the same. */
import { expect, test } from 'vitest';
import { createLastAnswer } from '../../electron/engine/queries/heat/last-answer.ts';
import type { Trace } from '../../electron/engine/trace.ts';
import type { Answer } from '../../shared/requests/requests.ts';
import { fail, ok } from '../../shared/base/result.ts';

const lastGrid = createLastAnswer<Answer<'heat'>>('heat', 100);

/** As much of a trace as it uses, opened again, with an index that keeps one result. */
function traceOf(kept: Map<string, Uint8Array>): Trace {
  const index = {
    kept: (name: string) => kept.get(name),
    // Stored rows begin anywhere in a page of SQLite.
    keep: (name: string, bytes: Uint8Array) => kept.set(name, new Uint8Array(bytes)),
  };
  return {
    ingest: { complete: true },
    blocks: { records: 4 },
    images: { digest: () => '' },
    index,
  } as unknown as Trace;
}

const grid = {
  from: 0,
  to: 4,
  columns: 2,
  edges: Float64Array.of(0, 2, 4),
  bands: [],
  rows: 1,
  counts: Float64Array.of(2, 1),
  most: 2,
  coarse: false,
  reach: { records: 4, bytes: 24, complete: true },
} satisfies Answer<'heat'>;

// The length of the question decides how the arrays are aligned in the stored bytes.
test.each([0, 1, 2, 3, 4, 5, 6, 7])('returns arrays with buffers of their own, %i bytes further', async (more) => {
  const kept = new Map<string, Uint8Array>();
  const question = { text: 'x'.repeat(more) };
  const counted = await lastGrid(traceOf(kept), question, () => Promise.resolve(ok(structuredClone(grid))));
  expect(counted).toEqual(ok(grid));
  const trace = traceOf(kept);
  for (let times = 0; times < 2; times++) {
    const found = await lastGrid(trace, question, () => Promise.resolve(fail('counted', 'it was counted again')));
    if (!found.ok) throw new Error(found.error.message);
    const { edges, counts } = found.value;
    expect([...edges, ...counts]).toEqual([0, 2, 4, 2, 1]);
    // As the engine's thread does with each answer: it fails if both are views of one buffer.
    structuredClone(found.value, { transfer: [edges.buffer, counts.buffer] });
  }
});
