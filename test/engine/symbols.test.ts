/** Symbols found by a part of their names, at the addresses in the trace, best matches first. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import { CANCELLED } from '../../shared/requests/failures.ts';
import type { ImagePlace } from '../../shared/requests/requests.ts';
import { writeElf } from '../unit/elf-writer.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const file = (name: string): string => join(place.folder, name);
let engine: Engine;

beforeAll(() => {
  writeFileSync(file('trace.txt'), '1 clk 0 IT (1) 00008000 e3a00001 A svc : mov r0, #1\n'.repeat(20));
  writeFileSync(
    file('program.elf'),
    writeElf({
      bits: 32,
      endian: 'little',
      machine: 40,
      sections: [{ name: '.text', address: 0x8000, bytes: new Uint8Array(64) }],
      symbols: [
        { name: 'main', value: 0x8000, size: 16 },
        { name: 'Main', value: 0x8010, size: 16 },
        { name: 'main_loop', value: 0x8020, size: 8 },
        { name: 'the_main', value: 0x8028, size: 8 },
      ],
    }),
  );
  // As nm prints symbols: one that the program has too, and one without a size.
  writeFileSync(file('more.nm'), '00108000 00000010 T main\n00200000 B domain\n');
  engine = sharedEngine();
});
afterAll(async () => {
  await engine.close();
  place.dispose();
});

test('lists exact names first, then names that begin with the text, at the addresses in the trace', async () => {
  const images: readonly ImagePlace[] = [{ path: file('program.elf'), shift: '0x100000' }, { path: file('more.nm') }];
  const { trace } = await ask(engine, 'open', { path: file('trace.txt'), images });
  expect(await ask(engine, 'symbols', { trace, text: 'main', most: 10 })).toEqual({
    symbols: [
      { name: 'main', kind: 'function', address: '0x108000', bytes: 16 },
      { name: 'Main', kind: 'function', address: '0x108010', bytes: 16 },
      { name: 'main_loop', kind: 'function', address: '0x108020', bytes: 8 },
      { name: 'domain', kind: 'object', address: '0x200000' },
      { name: 'the_main', kind: 'function', address: '0x108028', bytes: 8 },
    ],
    left: 0,
  });
  const few = await ask(engine, 'symbols', { trace, text: 'MAIN_', most: 0 });
  expect(few).toEqual({ symbols: [], left: 1 });
});

test('lets other requests run during a long search, and ends it when the request is cancelled', async () => {
  // Without the text in any name, but a part that demangling may add: every name has to be demangled.
  const names = Array.from({ length: 5000 }, (_, i) => `${(0x10000 + 16 * i).toString(16)} T _ZN3fmt5f${1000 + i}Ev`);
  writeFileSync(file('many.nm'), `${names.join('\n')}\n`);
  const images = [{ path: file('many.nm') }];
  const { trace } = await ask(engine, 'open', { path: file('trace.txt'), images });
  const cancel = new AbortController();
  const cancelled = engine.request('symbols', { trace, text: 'function', most: 10 }, { signal: cancel.signal });
  cancel.abort();
  expect(await cancelled).toMatchObject({ ok: false, error: { code: CANCELLED } });

  const order: string[] = [];
  const note = (name: string) => () => order.push(name);
  await Promise.all([
    ask(engine, 'symbols', { trace, text: 'function', most: 10 }).then(note('symbols')),
    ask(engine, 'symbolsNamed', { trace, name: 'function' }).then(note('symbolsNamed')),
    ask(engine, 'info', { trace }).then(note('info')),
  ]);
  expect(order[0]).toBe('info');
});

test('returns no symbols without images', async () => {
  const { trace } = await ask(engine, 'open', { path: file('trace.txt') });
  expect(await ask(engine, 'symbols', { trace, text: 'main', most: 10 })).toEqual({ symbols: [], left: 0 });
});

test('counts accesses per symbol in a rectangle, also in parts of symbols and beside them', async () => {
  // Four records each at 0x8000, 0x8004, 0x8008, ... 0x803c.
  const line = (n: number): string =>
    `1 clk ${n} IT (${n}) ${(0x8000 + 4 * (n % 16)).toString(16).padStart(8, '0')} e3a00001 A svc : mov r0, #1\n`;
  writeFileSync(file('hot.txt'), Array.from({ length: 64 }, (_, n) => line(n)).join(''));
  const { trace } = await ask(engine, 'open', { path: file('hot.txt'), images: [{ path: file('program.elf') }] });
  await ask(engine, 'index', { trace });
  const all = { trace, by: 'symbol', most: 3 } as const;
  expect(await ask(engine, 'hottest', all)).toMatchObject({
    spots: [
      { name: 'main', low: '0x8000', high: '0x8010', count: 16 },
      { name: 'Main', low: '0x8010', high: '0x8020', count: 16 },
      { name: 'main_loop', low: '0x8020', high: '0x8028', count: 8 },
    ],
    left: 1,
    total: 64,
  });
  // Records 8 to 39 have each address twice.
  expect(await ask(engine, 'hottest', { ...all, from: 8, to: 40, low: '0x8008', high: '0x8014' })).toMatchObject({
    spots: [
      { name: 'main', low: '0x8008', high: '0x8010', count: 4 },
      { name: 'Main', low: '0x8010', high: '0x8014', count: 2 },
    ],
    left: 0,
    total: 6,
  });
});
