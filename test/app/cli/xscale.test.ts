// `captures` and `flow`: instructions proved by XScale trace buffers, for scripts and people.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeElf } from '../../unit/elf-writer.ts';
import { cli, folder, json, traceOf } from './driver.ts';

const trace = join(folder, 'captures.bin');
const elf = join(folder, 'xscale.elf');
const raw = join(folder, 'xscale.img');
const program = ['--image', elf];

/** The worked example of the format's page, then a wrapped buffer, then an empty one. */
beforeAll(() => {
  const buffer = (hex: string, fill = 0): Buffer => {
    const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
    return Buffer.concat([Buffer.alloc(256 - bytes.length, fill), bytes]);
  };
  const captures = [buffer('00 00 80 00 90 83 ff 85 22 81'), buffer('00 00 80 00 90 84', 0xff), buffer('')];
  writeFileSync(trace, Buffer.concat(captures));
  const code = Buffer.alloc(0x400);
  for (let at = 0; at < code.length; at += 4) code.writeUInt32LE(0xe1a00000, at);
  code.writeUInt32LE(0xea00003b, 0x0c); // b 0x8100
  code.writeUInt32LE(0xea000029, 0x154); // b 0x8200
  code.writeUInt32LE(0xef000001, 0x208); // svc
  const vectors = Buffer.alloc(0x20);
  for (let at = 0; at < vectors.length; at += 4) vectors.writeUInt32LE(0xe1a00000, at);
  vectors.writeUInt32LE(0xea0020bb, 0x0c); // b 0x8300
  writeFileSync(
    elf,
    writeElf({
      bits: 32,
      endian: 'little',
      machine: 40,
      sections: [
        { name: '.vectors', address: 0, bytes: vectors },
        { name: '.text', address: 0x8000, bytes: code },
      ],
      symbols: [
        { name: '$a', value: 0, type: 0, section: '.vectors' },
        { name: '$a', value: 0x8000, type: 0, section: '.text' },
        { name: 'start', value: 0x8000, size: 0x100, section: '.text' },
        { name: 'loop', value: 0x8100, size: 0x100, section: '.text' },
      ],
    }),
  );
  writeFileSync(raw, code);
});

describe('captures', () => {
  test('prints JSON', async () => {
    const common = { bytes: 256, checkpoints: [], diagnostics: [] };
    expect(await json(['captures', trace, ...program, '--json'])).toEqual([
      { capture: 0, ...common, entries: 6, wrapped: false, firstKnownEntry: 0, firstRecord: 0 },
      { capture: 1, ...common, entries: 252, wrapped: true, firstKnownEntry: 250, firstRecord: 6 },
      { capture: 2, ...common, entries: 0, wrapped: false, firstKnownEntry: null },
    ]);
  });

  test('prints a table', async () => {
    const { stdout } = await cli(['captures', trace, ...program]);
    expect(stdout).toBe(
      [
        'capture  record  bytes  entries  wrapped  known from',
        '      0       0    256        6  no                0',
        '      1       6    256      252  yes             250',
        '      2            256        0  no            never',
        '',
      ].join('\n'),
    );
  });

  test('uses the given checkpoint registers', async () => {
    const given = ['--option', 'checkpoints=0x8000,0x8200', '--option', 'dialect=raw'];
    const checkpointed = join(folder, 'checkpointed.bin');
    writeFileSync(checkpointed, Buffer.concat([Buffer.alloc(253), Buffer.from('c181c2', 'hex')]));
    expect(await json(['captures', checkpointed, '--format', 'xscale', ...given, '--json'])).toMatchObject([
      { checkpoints: ['0x8000', '0x8200'], firstKnownEntry: 0 },
    ]);
  });
});

describe('flow', () => {
  const run = (start: number, many: number): string[] =>
    Array.from({ length: many }, (_, i) => `0x${(start + 4 * i).toString(16)}`);

  test('prints the instructions that the worked example proves as JSON', async () => {
    expect(await json(['flow', trace, '--capture', '0', ...program, '--json'])).toEqual({
      capture: 0,
      known_from_entry: 0,
      addresses: [...run(0x8000, 4), ...run(0x8100, 16), ...run(0x8140, 6), ...run(0x8200, 3), ...run(8, 2)],
      gaps: [],
      branches: [
        { target: '0x8000', kind: 'unknown' },
        { source: '0x800c', target: '0x8100', kind: 'jump' },
        { source: '0x8154', target: '0x8200', kind: 'jump' },
        { source: '0x8208', target: '0x8', kind: 'exception' },
        { source: '0xc', target: '0x8300', kind: 'jump' },
      ],
      before: 1,
      thumb: [],
      firstRecord: 0,
      ends: [0, 4, 20, 26, 29, 31],
    });
  });

  test('prints a gap if the image contradicts the buffer', async () => {
    expect(await json(['flow', trace, '--capture', '1', ...program, '--json'])).toMatchObject({
      known_from_entry: 250,
      addresses: [],
      gaps: [{ afterIndex: 0, reason: 'the image and the buffer disagree', instructions: 5 }],
    });
  });

  test('prints gaps for missing code', async () => {
    const given = ['--image', `${raw}@0x8000`, '--option', 'state=arm'];
    expect(await json(['flow', trace, '--capture', '0', ...given, '--json'])).toMatchObject({
      addresses: [...run(0x8000, 4), ...run(0x8100, 16), ...run(0x8140, 6), ...run(0x8200, 3)],
      gaps: [{ afterIndex: 29, reason: 'no image contains the exception vectors', instructions: 2 }],
    });
  });

  test('prints symbols and instructions for people', async () => {
    const { stdout } = await cli(['flow', trace, '--capture', '0', ...program]);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'known from entry 0 (after 1 instruction); 31 instructions',
      'index  address  symbol     instruction',
      '    0   0x8000  start      mov r0, r0',
      '    1   0x8004  start+0x4  mov r0, r0',
    ]);
    const without = await cli(['flow', trace, '--capture', '0']);
    expect(without.stdout).toBe(
      [
        'known from entry 0 (after 1 instruction); 1 instruction',
        'index  address',
        '    0   0x8000',
        '-- 30 instructions not known: the targets of direct branches are unknown without an image',
        '',
      ].join('\n'),
    );
    expect((await cli(['flow', trace, '--capture', '2'])).stdout).toBe('no address in this buffer is known\n');
  });

  test('refuses missing captures and records', async () => {
    const missing = await cli(['flow', trace, '--capture', '3', ...program]);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      `tracebench: ${trace}: there is no capture 3; \`tracebench captures\` lists them\n`,
    ]);
    const unnamed = await cli(['flow', trace]);
    expect([unnamed.code, unnamed.stderr]).toEqual([2, 'tracebench: flow: give the buffer with --capture C\n']);
    const other = await cli(['captures', traceOf('byu6/complete')]);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('only XScale trace buffers have captures');
  });
});

test('marks instructions as inferred if the image contradicts another part of the buffer, as another build does', async () => {
  const partly = join(folder, 'partly.bin');
  // The worked example, then a branch through a register from 0x8308, where the image has no branch.
  const entries = Buffer.from('000080009083ff852281' + '0000820092', 'hex');
  const jump = { kind: 'jump', source: '0x800c', target: '0x8100' };
  writeFileSync(partly, Buffer.concat([Buffer.alloc(256 - entries.length), entries]));
  const found = await json(['branches', partly, '--format', 'xscale', ...program]);
  expect(found).toContainEqual(expect.objectContaining({ ...jump, inferred: true }));
  const whole = await json(['branches', trace, ...program]);
  expect(whole).toContainEqual(expect.objectContaining(jump));
  expect(whole).not.toContainEqual(expect.objectContaining({ ...jump, inferred: true }));
});
