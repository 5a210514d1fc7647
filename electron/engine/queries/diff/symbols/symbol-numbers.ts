/** Numbers the instructions of two builds of a program by their functions, and by their places in these. */
import { joinAddress } from '../../../../../shared/base/units.ts';
import { ABSENT, createAddressMap } from '../../../collections/address-map.ts';
import type { Disassembler } from '../../../image/disassembler.ts';
import type { Images } from '../../../image/images.ts';
import { shownName } from '../../../image/names/shown-name.ts';
import type { InstructionNumbers, NumberedFunction } from '../paths/side.ts';
import { functionsNamed, isCode, pairInstructions, type OffsetInFirst, type PlacedFunction } from './function-pairs.ts';
import { namesWithoutSuffixes } from './suffixes.ts';

interface Pair {
  readonly own: readonly [PlacedFunction | undefined, PlacedFunction | undefined];
  /** Made when the second program is first seen in the function. */
  offsets?: OffsetInFirst;
}

interface Found extends NumberedFunction {
  readonly pair: Pair;
}

/**
 * Instructions outside of all symbols are numbered by their addresses.
 * @param shifts addresses of each program minus those of the first
 */
export function symbolNumbers(
  images: readonly [Images, Images],
  shifts: readonly [bigint, bigint],
  disassembler: Disassembler,
): readonly [InstructionNumbers, InstructionNumbers] {
  const numbers = new Map<string, number>();
  /** By number: true if no symbol contains the instruction. */
  const outside: boolean[] = [];
  const pairs = new Map<string, Pair>();
  const named = [new Map<string, readonly PlacedFunction[]>(), new Map<string, readonly PlacedFunction[]>()] as const;
  const nameInOther = namesWithoutSuffixes(images);
  return [numbersOf(0), numbersOf(1)];

  function numbersOf(side: 0 | 1): InstructionNumbers {
    const known = createAddressMap(1 << 12);
    return {
      of(low, high) {
        const there = known.get(low, high);
        if (there !== ABSENT) return there;
        const number = numberAt(side, joinAddress(low, high));
        known.set(low, high, number);
        return number;
      },
      isOutside: (number) => outside[number]!,
      functionAt: (address) => functionAt(side, address),
    };
  }

  function numberAt(side: 0 | 1, address: bigint): number {
    const found = functionAt(side, address);
    return found === undefined
      ? numberOf(String(address - shifts[side]), true)
      : numberOf(`${found.key} ${placeIn(side, found, Number(address - found.entry))}`, false);
  }

  function numberOf(key: string, isOutside: boolean): number {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    outside.push(isOutside);
    return numbers.size - 1;
  }

  function functionAt(side: 0 | 1, address: bigint): Found | undefined {
    const hit = images[side].symbolAt(address);
    if (hit === undefined || !isCode(hit.symbol)) return undefined;
    const { symbol } = hit;
    const entry = address - hit.offset;
    const place = functionsOf(side, symbol.name).findIndex((each) => each.entry === entry);
    const [first, second] = namesOf(side, symbol.name);
    const key = `${String(place)} ${first}`;
    const pair = pairs.get(key) ?? { own: [functionsOf(0, first)[place], functionsOf(1, second)[place]] };
    pairs.set(key, pair);
    return { key, pair, name: shownName(symbol), entry, firstEntry: pair.own[0]?.entry ?? entry };
  }

  /** Returns the names of a function in both programs. */
  function namesOf(side: 0 | 1, name: string): readonly [string, string] {
    if (functionsOf(side === 0 ? 1 : 0, name).length > 0) return [name, name];
    const other = nameInOther(side, name) ?? name;
    return side === 0 ? [name, other] : [other, name];
  }

  function functionsOf(side: 0 | 1, name: string): readonly PlacedFunction[] {
    const known = named[side].get(name) ?? functionsNamed(images[side], name);
    named[side].set(name, known);
    return known;
  }

  /** Returns the same for the same place of both versions of a function. */
  function placeIn(side: 0 | 1, { pair }: Found, offset: number): string {
    if (side === 0) return String(offset);
    const [one, other] = pair.own;
    if (one === undefined || other === undefined) return `only ${String(offset)}`;
    pair.offsets ??= pairInstructions(images, disassembler, one, other);
    const first = pair.offsets(offset);
    return first === undefined ? `only ${String(offset)}` : String(first);
  }
}
