/**
 * Effects of opcodes agree with the registers that a processor's own tracer records as written and read. A line has the opcode, its mnemonic,
 * the registers that it wrote and those that it read: `40a60633 sub | x12 < x10 x12`. x0 is never recorded.
 *
 * These are facts of the first ten opcodes of each mnemonic in `cv32/tests/core/results/hello_world/trace_core_00_0.log` of
 * github.com/openhwgroup/cva6 at commit 2eb34066, a trace of CV32E40P under the Solderpad Hardware Licence 2.0 (Apache License 2.0). It shows
 * compressed instructions in their long form, with 32 bits.
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isMemory, type Place } from '../../electron/engine/instructions/effects.ts';
import { loadEffects, registerFileOf } from '../../electron/engine/instructions/effects-reader.ts';
import type { RegisterSpan } from '../../electron/engine/instructions/register-file.ts';
import { meets } from '../../electron/engine/queries/why/locations.ts';

const PATH = fileURLToPath(new URL('../engine/compiled/observed/riscv32.txt', import.meta.url));
const file = registerFileOf('riscv32');
const GENERAL = Array.from({ length: 31 }, (_, k) => `x${k + 1}`);
const spanOf = (name: string): RegisterSpan => file.spansOf(name)![0]!;
const { effectsOf } = await loadEffects();

interface Recorded {
  readonly line: string;
  readonly word: number;
  readonly written: readonly string[];
  readonly read: readonly string[];
}

const recorded = fs
  .readFileSync(PATH, 'utf8')
  .trim()
  .split('\n')
  .map((line): Recorded => {
    const [head = '', results = ''] = line.split(' | ');
    const [written = [], read = []] = results.split('<').map((part) => part.trim().split(' ').filter(Boolean));
    return { line, word: Number.parseInt(head.slice(0, 8), 16), written, read };
  });

/** Returns the general registers that some spans have bytes of, by their numbers. */
function general(spans: readonly RegisterSpan[]): readonly string[] {
  return GENERAL.filter((name) => spans.some((each) => meets(each, spanOf(name))));
}

function spansOf(places: readonly Place[] = []): readonly RegisterSpan[] {
  return places.flatMap((place) => (isMemory(place) ? [] : [place.register]));
}

test('an opcode defines the registers that were written, and uses those that were read', () => {
  const declared = recorded.map(({ line, word }) => {
    const bytes = Uint8Array.from({ length: 4 }, (_, k) => word >>> (8 * k));
    const { definitions, memory, decides } = effectsOf({ isa: 'riscv32', bytes, littleEndian: true, address: 0x80n })!;
    const used = [
      ...spansOf(definitions.flatMap(({ from }) => from)),
      ...memory.flatMap(({ address }) => address),
      ...spansOf(decides),
    ];
    const [defined, uses] = [general(spansOf(definitions.map(({ to }) => to))), general(used)];
    return `${line.slice(0, line.indexOf(' |'))} | ${defined.join(' ')} < ${uses.join(' ')}`;
  });
  const byNumber = (names: readonly string[]): string => GENERAL.filter((name) => names.includes(name)).join(' ');
  expect(declared).toEqual(
    recorded.map(
      ({ line, written, read }) => `${line.slice(0, line.indexOf(' |'))} | ${byNumber(written)} < ${byNumber(read)}`,
    ),
  );
  expect(recorded.length).toBeGreaterThan(200);
});
