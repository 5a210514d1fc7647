/** Bad input by shape: counts, and samples that equal the file's bytes at that place. */
import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import type { DiagnosticGroup } from '../../shared/requests/requests.ts';
import { findSamples } from '../laws/samples.ts';
import { ask, refusal } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';
import { few } from '../short-form.ts';

const place = scratch();
let engine: Engine;

beforeAll(() => {
  engine = sharedEngine(1200);
});

afterAll(async () => {
  await engine.close();
  place.dispose();
});

test('the sample of a diagnostic is the text of its line or the digits of its bytes, at its first place', async () => {
  const lines = [
    '1 clk 0 IT (1) 00008000 e59f0060 A svc : ldr r0, [pc, #0x60]',
    `cpu 0 stopped at \tbreak\u0001point é ${'x'.repeat(200)}`,
    '2 clk 0 IT (2) 00008004 e59f0060 A svc : ldr r0, [pc, #0x60]\r',
    '3 clk R r0 00000001',
    '',
  ];
  const [text] = await groupsOf('log.txt', lines.join('\n'), 'tarmac');
  expect(text?.shapes.map(({ sample, sampleIs }) => [sample, sampleIs])).toEqual([
    [`cpu 0 stopped at  break[U+0001]point é ${'x'.repeat(160 - 33)}`, 'text'],
  ]);

  // INVALID control, then a well-formed fetch.
  const bytes = Uint8Array.from([0, 0x10, 0x0b, 0xd8, 0xc3, 0x00, 0, 0x10, 0, 0, 0, 0x30]);
  const binary = await groupsOf('bad.byu', bytes, 'byu6');
  expect(binary.find(({ code }) => code === 'invalid-control')?.shapes[0]).toMatchObject({
    sample: '00 10 0b d8 c3 00 00 10 00 00 00 30',
    sampleIs: 'hex',
  });
});

test('lines that differ in numbers have one shape, most frequent first, for every division into blocks', async () => {
  const lines = Array.from({ length: 200 }, (_, i) => {
    if (i % 5 === 0) return `halted at 0x${(i * 16).toString(16)} after ${String(i)} steps`;
    if (i % 40 === 1) return `breakpoint ${String(i)}`;
    return `${String(i)} clk R r0 ${String(i).padStart(8, '0')}`;
  });
  const [group] = await groupsOf('shapes.txt', `${lines.join('\n')}\n`, 'tarmac');
  expect(group).toMatchObject({ code: 'unknown-line', count: 45, firstOffset: 0, firstRecord: 0 });
  const second = lines[0]!.length + 1;
  expect(group?.shapes.map(({ sampleIs, ...row }) => [row, sampleIs])).toEqual([
    [{ shape: 'halted at # after # steps', count: 40, firstOffset: 0, firstRecord: 0, sample: lines[0] }, 'text'],
    [{ shape: 'breakpoint #', count: 5, firstOffset: second, firstRecord: 1, sample: 'breakpoint 1' }, 'text'],
  ]);
});

test('a header row of a bus capture far below its first row changes no diagnostic of its index', async () => {
  const row = '10,1,0,0,FE,00100010,000000000000000F\n';
  // Equal rows that follow one another would be read as clocks of one bus cycle.
  const pair = `${row}20,1,1,0,00,00100020,00000000000000FF\n`;
  const header = 'time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]\n';
  const other = header.replace('D[63:0]', 'D[63:0],x');
  const codesOf = async (content: string): Promise<readonly string[]> =>
    (await groupsOf('far.csv', content, 'btm')).map(
      ({ code, count, firstRecord }) => `${code}: ${String(count)} from ${String(firstRecord)}`,
    );
  expect(await codesOf(pair.repeat(10_000) + header + row)).toEqual(['no-header-row: 1 from 0']);
  expect(await codesOf(header + pair.repeat(1000) + header + row)).toEqual([]);
  expect(await codesOf(header + pair.repeat(1000) + (other + header + row).repeat(3))).toEqual([
    'other-layout: 3 from 2000',
  ]);
});

describe.each(few(findSamples(), 60).map((sample) => [`${sample.format}/${sample.name}`, sample] as const))(
  '%s',
  (_, sample) => {
    test('counts of shapes add up to their code, most frequent first, with samples from the file', async () => {
      const file = place.file('trace', sample.bytes);
      const { trace } = await ask(engine, 'open', { path: file, format: sample.format, options: sample.options });
      await ask(engine, 'index', { trace });
      const { groups } = await ask(engine, 'diagnostics', { trace });
      const rows = groups.map(({ shapes, ...row }) => {
        expect(shapes.reduce((sum, { count }) => sum + count, 0)).toBe(row.count);
        expect(Math.min(...shapes.map(({ firstOffset }) => firstOffset))).toBe(row.firstOffset);
        const counts = shapes.filter(({ shape }) => shape !== '…').map(({ count }) => count);
        expect(counts).toEqual(counts.toSorted((a, b) => b - a));
        return row;
      });
      expect(rows).toEqual((await ask(engine, 'info', { trace })).diagnostics);
      for (const { firstOffset, sample: shown, sampleIs } of groups.flatMap(({ shapes }) => shapes)) {
        if (sampleIs === 'hex') {
          const there = Buffer.from(sample.bytes.subarray(firstOffset, firstOffset + shown.split(' ').length));
          expect(shown.replaceAll(' ', '')).toBe(there.toString('hex'));
        } else {
          const there = Buffer.from(sample.bytes.subarray(firstOffset, firstOffset + 20)).toString('latin1');
          const plain = /^[ -~]*/.exec(there)?.[0] ?? '';
          expect(shown.slice(0, plain.length)).toBe(plain);
        }
      }
      await ask(engine, 'close', { trace });
    });
  },
);

test('shows no samples if the file has become shorter', async () => {
  const file = place.file('shrinks.byu', new Uint8Array(600));
  const { trace } = await ask(engine, 'open', { path: file, format: 'byu6' });
  await ask(engine, 'index', { trace });
  fs.truncateSync(file, 300);
  expect((await refusal(engine, 'diagnostics', { trace })).message).toContain('became shorter');
});

async function groupsOf(
  name: string,
  content: string | Uint8Array,
  format: string,
): Promise<readonly DiagnosticGroup[]> {
  const { trace } = await ask(engine, 'open', { path: place.file(name, content), format });
  await ask(engine, 'index', { trace });
  return (await ask(engine, 'diagnostics', { trace })).groups;
}
