/**
 * Effects of opcodes agree with what an emulator shows: it executed each instruction of a compiled program again with one byte changed, in
 * many states (test/engine/compiled/observed/observe.py). A line has the opcode, the text, and for each result the bytes that it depends on:
 * `0b0002f7 add w23, w23, w0 | x23.0-7 < x0.0-3 x23.0-3`. Here `m` is the memory that is read and `w` the memory that is written,
 * `pc` the next address, `@` an address of memory.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Isa } from '../../electron/engine/image/machine.ts';
import { isMemory, type Effects, type Place } from '../../electron/engine/instructions/effects.ts';
import { loadEffects, registerFileOf } from '../../electron/engine/instructions/effects-reader.ts';

const FOLDER = fileURLToPath(new URL('../engine/compiled/observed/', import.meta.url));

interface Bytes {
  /** `m` and `w` for memory, `pc`, or a register. */
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

interface Result {
  readonly to: readonly Bytes[];
  readonly from: readonly Bytes[];
}

interface Observed {
  readonly code: Uint8Array;
  readonly text: string;
  readonly results: readonly Result[];
  readonly addresses: readonly Bytes[];
}

const SETS: readonly (readonly [file: string, isa: Isa, wordsOf: number])[] = [
  ['a64', 'aarch64', 4],
  ['riscv64', 'riscv64', 4],
  ['x86-64', 'x86-64', 1],
];

/** Most divisions whose upper half of the dividend is changed fail, because the quotient has too many bits. */
const RARE = ['div %rdi: rdx < rdx'];

const { effectsOf } = await loadEffects();

describe.each(SETS)('%s', (name, isa) => {
  const lines = fs
    .readFileSync(path.join(FOLDER, `${name}.txt`), 'utf8')
    .trim()
    .split('\n');
  const file = registerFileOf(isa);
  const all = lines.map((line) => {
    const observed = readLine(line, isa);
    return { ...observed, effects: effectsOf({ isa, bytes: observed.code, littleEndian: true, address: 0x8000n })! };
  });

  test('defines every byte that changed', () => {
    const missing = all.flatMap(({ text, effects, results }) =>
      results.flatMap(({ to }) =>
        to
          .filter((bytes) => bytes.name !== 'pc' && !covers(definedBy(effects, bytes.name), bytes))
          .map((bytes) => `${text}: ${textOf(bytes)}`),
      ),
    );
    expect(missing).toEqual([]);
  });

  test('uses every byte that a result depends on', () => {
    const missing = all.flatMap(({ text, effects, results, addresses }) => [
      ...results.flatMap(({ to, from }) =>
        from
          .filter((bytes) => !covers(usedFor(effects, to), bytes))
          .map((bytes) => `${text}: ${to.map(textOf).join(' ')} < ${textOf(bytes)}`),
      ),
      ...addresses
        .filter((bytes) => !covers(placesOf(effects.memory.flatMap(({ address }) => address)), bytes))
        .map((bytes) => `${text}: @ < ${textOf(bytes)}`),
    ]);
    expect(missing).toEqual([]);
  });

  test('uses nothing that no result depends on', () => {
    const superfluous = all.flatMap(({ text, effects, results }) =>
      effects.definitions.flatMap(({ to, from, conditional }) =>
        from
          .filter((place) => {
            const own = results.filter((result) => result.to.some((bytes) => meets(to, 'w', bytes)));
            // Bytes that never changed show nothing. Those that an instruction may leave alone need not depend on themselves in all states.
            if (own.length === 0 || (conditional && isSame(place, to))) return false;
            return !own.some((result) => result.from.some((bytes) => meets(place, 'm', bytes)));
          })
          .map((place) => `${text}: ${nameOf(to)} < ${nameOf(place)}`),
      ),
    );
    expect(superfluous.filter((each) => !RARE.includes(each))).toEqual([]);
  });

  function nameOf(place: Place): string {
    return isMemory(place) ? 'memory' : file.nameOf(place.register);
  }

  function spanOf({ name: register, first, last }: Bytes): { low: number; end: number } {
    const [span] = register === 'pc' ? [file.counter] : file.spansOf(register)!;
    return { low: span!.low + first, end: span!.low + last + 1 };
  }

  function covers(places: readonly Place[], bytes: Bytes): boolean {
    if (bytes.name === 'm' || bytes.name === 'w') return places.some(isMemory);
    const { low, end } = spanOf(bytes);
    return Array.from({ length: end - low }, (_, k) => low + k).every((byte) =>
      places.some(
        (place) => !isMemory(place) && place.register.low <= byte && byte < place.register.low + place.register.bytes,
      ),
    );
  }

  function meets(place: Place, memory: 'm' | 'w', bytes: Bytes): boolean {
    if (isMemory(place)) return bytes.name === memory;
    if (bytes.name === 'm' || bytes.name === 'w') return false;
    const { low, end } = spanOf(bytes);
    return place.register.low < end && low < place.register.low + place.register.bytes;
  }

  function usedFor({ definitions, decides = [] }: Effects, to: readonly Bytes[]): readonly Place[] {
    if (to.some((bytes) => bytes.name === 'pc')) return decides;
    return definitions
      .filter((definition) => to.some((bytes) => meets(definition.to, 'w', bytes)))
      .flatMap(({ from }) => from);
  }
});

function isSame(one: Place, other: Place): boolean {
  return !isMemory(one) && !isMemory(other) && one.register.low === other.register.low;
}

function definedBy({ definitions }: Effects, name: string): readonly Place[] {
  return definitions.map(({ to }) => to).filter((to) => isMemory(to) === (name === 'w'));
}

function placesOf(spans: Effects['memory'][number]['address']): readonly Place[] {
  return spans.map((register) => ({ register }));
}

function readLine(line: string, isa: Isa): Observed {
  const [, opcode = '', text = '', rest = ''] = /^(\S+) (.*) \|(.*)$/.exec(line)!;
  const code = Uint8Array.from(Buffer.from(opcode, 'hex'));
  if (isa !== 'x86-64') code.reverse();
  const parts = rest.split(';').map((part) => {
    const [to = '', from = ''] = part.split('<');
    return { isAddress: to.includes('@'), to: bytesIn(to), from: bytesIn(from) };
  });
  return {
    ...{ code, text },
    results: parts.filter(({ isAddress }) => !isAddress),
    addresses: parts.filter(({ isAddress }) => isAddress).flatMap(({ from }) => from),
  };
}

function bytesIn(text: string): readonly Bytes[] {
  return [...text.matchAll(/(\S+)\.(\d+)-(\d+)/g)].map(([, name = '', first, last]) => ({
    name,
    first: Number(first),
    last: Number(last),
  }));
}

function textOf({ name, first, last }: Bytes): string {
  return `${name}.${first}-${last}`;
}
