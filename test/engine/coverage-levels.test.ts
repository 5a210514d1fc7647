/** Answers of `coverage` without the list of instructions, and about code that the index keeps. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startEngine } from '../../electron/engine/engine.ts';
import { writeElf } from '../unit/elf-writer.ts';
import { ask } from './ask.ts';
import { scratch } from './traces.ts';

const place = scratch();
afterAll(() => {
  place.dispose();
});

/** mov r0, #1; bne main; bl other; bx lr. `other` is a NOP and never runs; code behind it that runs has no function. */
const CODE = [0xe3a00001, 0x1afffffd, 0xeb000000, 0xe12fff1e, 0xe1a00000, 0xe3a01002];
const RAN = [0x8000, 0x8004, 0x8000, 0x8004, 0x8014];

const opened = { path: traceFile(), format: 'tarmac', images: [{ path: imageFile() }] };

function traceFile(): string {
  const lines = RAN.map((address, at) => {
    const opcode = CODE[(address - 0x8000) / 4]!.toString(16);
    return `${at + 1} clk IT (${at + 1}) ${address.toString(16).padStart(8, '0')} ${opcode} A usr : \n`;
  });
  return place.file('trace.txt', lines.join(''));
}

/** The image is large enough to be kept: most of it is data. */
function imageFile(): string {
  const elf = writeElf({
    bits: 32,
    endian: 'little',
    machine: 40,
    sections: [
      { name: '.text', address: 0x8000, bytes: [...new Uint8Array(Uint32Array.from(CODE).buffer)] },
      { name: '.data', address: 0x20000, bytes: new Uint8Array(200_000), flags: 3 },
    ],
    symbols: [
      { name: 'main', value: 0x8000, size: 16 },
      { name: 'other', value: 0x8010, size: 4 },
      { name: '$a', value: 0x8000, type: 0, binding: 0 },
    ],
  });
  return place.file('program.elf', Buffer.from(elf));
}

const FUNCTIONS = [
  ['main', 2, { covered: 2, total: 4 }, { covered: 1, total: 2 }],
  ['other', 0, { covered: 0, total: 1 }, { covered: 0, total: 0 }],
];

test('lists what the level says, with the same totals, from an index that keeps the code too', async () => {
  const indexDirectory = fs.mkdtempSync(path.join(place.folder, 'index-'));
  const answers: unknown[] = [];
  for (const prepares of [true, false]) {
    const engine = startEngine({ indexDirectory });
    try {
      const { trace } = await ask(engine, 'open', opened);
      await ask(engine, 'index', { trace });
      if (prepares) await ask(engine, 'prepareFlow', { trace });
      const [own, lines, all] = [
        await ask(engine, 'coverage', { trace, level: 'function' }),
        await ask(engine, 'coverage', { trace, level: 'line' }),
        await ask(engine, 'coverage', { trace }),
      ];
      expect(own.instructions.addresses).toEqual([]);
      expect(lines).toEqual(own);
      expect({ ...all, instructions: own.instructions }).toEqual(own);
      expect(
        own.functions.map(({ name, count, instructions, branches }) => [name, count, instructions, branches]),
      ).toEqual(FUNCTIONS);
      expect(own.executed).toBe(RAN.length);
      expect(all.instructions.addresses).toEqual(['0x8000', '0x8004', '0x8008', '0x800c', '0x8010', '0x8014']);
      expect(all.instructions.counts).toEqual([2, 2, 0, 0, 0, 1]);
      answers.push(await ask(engine, 'coverage', { trace, texts: true }));
    } finally {
      await engine.close();
    }
  }
  expect(answers[1]).toEqual(answers[0]);
});
