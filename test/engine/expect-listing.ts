/** Compares the rows of the static code, requested in parts, with the answer of `coverage`, which disassembles the whole program. */
import { expect } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import type { CodeRow } from '../../shared/requests/source/answers.ts';
import { ask } from './ask.ts';

interface Range {
  readonly from?: number;
  readonly to?: number;
}

export async function expectListing(engine: Engine, trace: string, range: Range = {}): Promise<readonly CodeRow[]> {
  const rows: CodeRow[] = [];
  for (let total = 1; rows.length < total;) {
    const part = await ask(engine, 'code', { trace, ...range, first: rows.length, count: 7 });
    total = part.total;
    rows.push(...part.rows);
  }
  const { instructions, functions, lines, notes } = await ask(engine, 'coverage', { trace, ...range });
  const { addresses, sizes, counts, kinds, skipped, taken, notTaken, functions: owners } = instructions;
  const expected = addresses.flatMap((address, row) => {
    const owner = functions[owners[row]!];
    const begins = owner !== undefined && (row === 0 || owners[row - 1] !== owners[row]);
    const place = lines[instructions.lines[row]!];
    return [
      ...(begins
        ? [{ heading: owner.name, address: owner.address, count: owner.count, instructions: owner.instructions }]
        : []),
      {
        address,
        size: sizes[row],
        count: counts[row],
        sort: kinds[row],
        skipped: skipped[row] ?? undefined,
        taken: taken[row] ?? undefined,
        notTaken: notTaken[row] ?? undefined,
        place: place && `${place.file}:${place.line}`,
      },
    ];
  });
  const shown = rows.map((row) => {
    if ('heading' in row) return row;
    const { address, bytes, count, sort, skipped: itsSkipped, taken: itsTaken, notTaken: itsNotTaken } = row;
    const outcome = { skipped: itsSkipped, taken: itsTaken, notTaken: itsNotTaken };
    const place = row.file === undefined ? undefined : `${row.file}:${String(row.line)}`;
    return { address, size: bytes.split(' ').length, count, sort, ...outcome, place };
  });
  expect(shown).toEqual(expected);
  for (const row of rows) {
    if ('heading' in row || row.targetRow === undefined) continue;
    expect(rows[row.targetRow]).toMatchObject({ address: row.target });
    expect(rows[row.targetRow]).not.toHaveProperty('heading');
  }
  const first = await ask(engine, 'code', { trace, ...range, first: 0, count: 1 });
  expect(first).toMatchObject({ notes, most: counts.reduce((most, count) => Math.max(most, count), 0) });
  return rows;
}
