/** Coverage of Thumb-2 code with an IT block and CBZ, assembled by hand (Arm ARM DDI 0406C, A8.8.54 and A8.8.29). */
import { afterAll, expect, test } from 'vitest';
import { writeElf } from '../unit/elf-writer.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const engine = sharedEngine();
const place = scratch();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

/** `ITE EQ` makes the next two instructions conditional. CBZ branches to the BX if r0 is 0. */
const CODE = {
  0x8000: ['2800', 'cmp r0, #0'],
  0x8002: ['bf0c', 'ite eq'],
  0x8004: ['2101', 'moveq r1, #1'],
  0x8006: ['2102', 'movne r1, #2'],
  0x8008: ['b100', 'cbz r0, 0x800c'],
  0x800a: ['3101', 'adds r1, #1'],
  0x800c: ['4770', 'bx lr'],
} as const;
type Address = keyof typeof CODE;

const BYTES = Object.values(CODE).flatMap(([opcode]) => [
  Number.parseInt(opcode.slice(2), 16),
  Number.parseInt(opcode.slice(0, 2), 16),
]);

/** The instructions of two executions: with r0 = 0 and with another value. A minus stands before the address of a skipped one. */
const ZERO = [0x8000, 0x8002, 0x8004, -0x8006, 0x8008, 0x800c] as const;
const OTHER = [0x8000, 0x8002, -0x8004, 0x8006, 0x8008, 0x800a, 0x800c] as const;

function textOf(runs: readonly (readonly number[])[]): string {
  return runs
    .flat()
    .map((one, at) => {
      const address = Math.abs(one);
      const [opcode, text] = CODE[address as Address];
      const kind = one < 0 ? 'IS' : 'IT';
      return `${at + 1} clk ${kind} (${at + 1}) ${address.toString(16).padStart(8, '0')} ${opcode} T usr : ${text}\n`;
    })
    .join('');
}

async function opened(name: string, runs: readonly (readonly number[])[]): Promise<string> {
  const elf = writeElf({
    bits: 32,
    endian: 'little',
    machine: 40,
    sections: [{ name: '.text', address: 0x8000, bytes: BYTES }],
    symbols: [
      { name: 'pick', value: 0x8001, size: BYTES.length },
      { name: '$t', value: 0x8000, type: 0, binding: 0 },
    ],
  });
  const images = [{ path: place.file(`${name}.elf`, Buffer.from(elf)) }];
  const { trace } = await ask(engine, 'open', {
    path: place.file(`${name}.txt`, textOf(runs)),
    format: 'tarmac',
    images,
  });
  await ask(engine, 'index', { trace });
  return trace;
}

test('counts both outcomes of the instructions of an IT block, and both ways of CBZ', async () => {
  const trace = await opened('both', [ZERO, OTHER, OTHER]);
  const { instructions, totals } = await ask(engine, 'coverage', { trace });
  const { addresses, counts, kinds, skipped, taken, notTaken } = instructions;
  expect(
    addresses.map((address, row) => [address, kinds[row], counts[row], skipped[row], taken[row], notTaken[row]]),
  ).toEqual([
    ['0x8000', 'plain', 3, null, null, null],
    ['0x8002', 'plain', 3, null, null, null],
    ['0x8004', 'conditional', 3, 2, null, null],
    ['0x8006', 'conditional', 3, 1, null, null],
    ['0x8008', 'conditional-branch', 3, null, 1, 2],
    ['0x800a', 'plain', 2, null, null, null],
    ['0x800c', 'branch', 3, null, 2, 0],
  ]);
  expect(totals.branches).toEqual({ covered: 2, total: 2 });
  expect(totals.conditions).toEqual({ covered: 4, total: 4 });
});

test('shows instructions of an IT block that were skipped each time, and the way that CBZ never went', async () => {
  const trace = await opened('other', [OTHER, OTHER]);
  const { totals } = await ask(engine, 'coverage', { trace });
  expect(totals.branches).toEqual({ covered: 1, total: 2 });
  expect(totals.conditions).toEqual({ covered: 2, total: 4 });
  const { rows } = await ask(engine, 'code', { trace, first: 0, count: 10 });
  const at = (address: string) => rows.find((row) => row.address === address && !('heading' in row));
  expect(at('0x8004')).toMatchObject({ count: 2, skipped: 2 });
  expect(at('0x8006')).toMatchObject({ count: 2, skipped: 0 });
  expect(at('0x8008')).toMatchObject({ count: 2, taken: 0, notTaken: 2, target: '0x800c' });
});
