// Progress and tables on the command line.
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createProgressLine } from '../../electron/cli/print/progress-line.ts';
import { createTable } from '../../electron/cli/print/table.ts';
import type { Progress } from '../../shared/requests/requests.ts';

const at = (bytes: number): Progress => ({
  bytes,
  totalBytes: 4e9,
  records: 0,
  bytesPerSecond: 250e6,
  secondsLeft: (4e9 - bytes) / 250e6,
});

test('rewrites one progress line on a terminal, at most ten times a second, and erases it at the end', () => {
  const { stream, text } = sink(true);
  const clock = { now: 0 };
  const line = createProgressLine(stream, false, () => clock.now);
  for (const [now, bytes] of [
    [0, 0],
    [50, 1e9],
    [100, 1e9],
    [199, 2e9],
    [200, 4e9],
  ] as const) {
    clock.now = now;
    line.update(at(bytes));
  }
  line.clear();
  line.clear();
  expect(text()).toBe(
    [
      '\r\x1b[Kindexing: 0 % of 4.00 GB, 250 MB/s, 16 s left',
      '\r\x1b[Kindexing: 25 % of 4.00 GB, 250 MB/s, 12 s left',
      '\r\x1b[Kindexing: 100 % of 4.00 GB, 250 MB/s, 0 s left',
      '\r\x1b[K',
    ].join(''),
  );
});

test('prints progress to a log after three seconds and then once per tenth', () => {
  const { stream, text } = sink(false);
  const clock = { now: 0 };
  const line = createProgressLine(stream, false, () => clock.now);
  for (const [now, bytes] of [
    [0, 0],
    [2999, 1e9],
    [3001, 1e9],
    [3002, 1.1e9],
    [3003, 1.2e9],
    [3004, 1.3e9],
    [9000, 3.9e9],
  ] as const) {
    clock.now = now;
    line.update(at(bytes));
  }
  line.clear();
  expect(text()).toBe(
    [
      '25 % of 4.00 GB, 250 MB/s, 12 s left',
      '30 % of 4.00 GB, 250 MB/s, 12 s left',
      '97 % of 4.00 GB, 250 MB/s, 1 s left',
    ]
      .map((shown) => `indexing: ${shown}\n`)
      .join(''),
  );
});

test('--quiet prints no progress', () => {
  const { stream, text } = sink(true);
  const line = createProgressLine(stream, true);
  line.update(at(0));
  line.clear();
  expect(text()).toBe('');
});

test('names the program that is waited for', () => {
  const { stream, text } = sink(true);
  const line = createProgressLine(stream, false, () => 0);
  line.update({ ...at(5e8), bytesPerSecond: 0, secondsLeft: null, waitsFor: 'process 1234' });
  expect(text()).toBe('\r\x1b[Kwaiting for process 1234, which is indexing this trace: 12 % of 4.00 GB');
});

test('omits table columns without values and keeps column widths between parts', () => {
  const table = createTable<readonly [string, string, string]>(
    [
      { title: 'name', text: ([name]) => name },
      { title: 'n', right: true, text: ([, n]) => n },
      { title: 'note', text: ([, , note]) => note },
    ],
    false,
  );
  expect(table.lines([['a', '1000', '']])).toBe('name     n\na     1000\n');
  expect(table.lines([['longer', '1', '']])).toBe('longer     1\n');
  expect(table.lines([['b', '2', 'new']])).toBe('name       n  note\nb          2  new\n');
  expect(table.lines([])).toBe('');
});

test('prints every row of a long table once, in order', () => {
  const table = createTable<number>([{ title: 'n', right: true, text: (n) => String(n) }], false);
  const rows = Array.from({ length: 1000 }, (_, n) => n);
  expect(table.lines(rows)).toBe(['n', ...rows].map((text) => `${String(text).padStart(3)}\n`).join(''));
});

function sink(isTTY: boolean): {
  readonly stream: Writable & { readonly isTTY: boolean };
  readonly text: () => string;
} {
  const parts: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      parts.push(chunk.toString());
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), text: () => parts.join('') };
}
