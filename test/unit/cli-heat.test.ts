// A heatmap in characters, as the command line prints it.
import { expect, test } from 'vitest';
import { sketch } from '../../electron/cli/print/heat-sketch.ts';
import type { HeatGrid } from '../../shared/requests/requests.ts';

/** Two columns of three rows, column by column, lowest row first. */
const grid: HeatGrid = {
  from: 0,
  to: 1000,
  columns: 2,
  edges: new Float64Array([0, 500, 1000]),
  bands: [{ low: '0x8000', high: '0xb000', rows: 3, rowBytes: 4096 }],
  rows: 3,
  counts: new Float64Array([1, 0, 0, 0, 10, 100]),
  most: 100,
  coarse: false,
  reach: { records: 1000, bytes: 6000, complete: true },
};

test('draws the highest addresses on top and denser characters for more accesses', () => {
  expect(sketch(grid)).toBe(
    ['0xa000 │ @', '0x9000 │ +', '0x8000 │·', '       └──', '        records 0 to 999; · one access, @ 100', ''].join(
      '\n',
    ),
  );
});
