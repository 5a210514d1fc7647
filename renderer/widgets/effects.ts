/** Short texts for the effects of an instruction: `r3=0x10`, `[0x8000]←0x5`, `[0x8004]→0x7`. */
import type { Hex } from '../../shared/base/units.ts';
import type { RecordView } from '../../shared/records/record.ts';
import { isEffect } from '../../shared/records/record.ts';

export interface Chip {
  /** Record of the effect. */
  readonly n: number;
  readonly hue: 'register' | 'read' | 'write';
  readonly text: string;
  /** Longer text with the symbol of the address: `[0x8000 table]←0x5`. */
  readonly long?: string;
  /** Shorter text, if the next chip shows the same value: `[0x8000]→` before `r3=0x7`. */
  readonly brief?: string;
  /** Register that is set. */
  readonly register?: string;
}

/**
 * Returns the texts of the effects of an instruction. A register with a value that was read follows the read, so that the value is shown
 * once. A record that only repeats an effect on the bus has no text.
 */
export function chipsOf(effects: readonly RecordView[]): readonly Chip[] {
  const left = effects.filter(({ kind }) => isEffect(kind));
  const chips: Chip[] = [];
  for (let record = left.shift(); record !== undefined; record = left.shift()) {
    if (record.kind === 'register') {
      chips.push(...settingsOf(record));
      continue;
    }
    const { kind, value } = record;
    const isRead = kind === 'read' || kind === 'io-read';
    const at = isRead ? left.findIndex((other) => other.kind === 'register' && isSame(other.value, value)) : -1;
    chips.push(accessOf(record, at >= 0));
    if (at >= 0) chips.push(...left.splice(at, 1).flatMap(settingsOf));
  }
  return chips;
}

function isSame(a: Hex | undefined, b: Hex | undefined): boolean {
  return a !== undefined && a === b;
}

function settingsOf({ n, registers, register, value }: RecordView): readonly Chip[] {
  const set = registers ?? (register === undefined ? [] : [[register, value] as const]);
  return set.map(([name, own = '?']) => ({ n, hue: 'register', text: `${name}=${own}`, register: name }));
}

/** @param isLoaded the next chip shows the value that was read */
function accessOf({ n, kind, address, value, symbol }: RecordView, isLoaded: boolean): Chip {
  const where = address ?? '?';
  const isWrite = kind === 'write' || kind === 'io-write';
  const arrow = isWrite ? '←' : '→';
  const moved = `${arrow}${value ?? '?'}`;
  return {
    n,
    hue: isWrite ? 'write' : 'read',
    text: `[${where}]${moved}`,
    ...(isLoaded && { brief: `[${where}]${arrow}` }),
    ...(symbol !== undefined && { long: `[${where} ${symbol}]${isLoaded ? arrow : moved}` }),
  };
}

/** Width of a character of a chip, of the space around it, and of the number of chips left out, in characters of the row. */
const CHARACTER = 0.92;
const AROUND = 1.9;
const MORE = 3;

export interface FittingChips {
  /** The first chips, as many as fit, each with its text. */
  readonly shown: readonly { readonly chip: Chip; readonly text: string }[];
  /** Number of chips that do not fit. */
  readonly left: number;
}

/**
 * Returns the chips that fit into `room` characters, with symbols if all fit with them.
 * @param least the first chips, which are shown even if they do not fit
 */
export function fitChips(chips: readonly Chip[], room: number, least = 0): FittingChips {
  const long = chips.map((chip) => ({ chip, text: chip.long ?? chip.brief ?? chip.text }));
  if (widthOf(long) <= room) return { shown: long, left: 0 };
  for (let count = chips.length; count > 0; count -= 1) {
    // The last chip has no next one that could show its value.
    const shown = chips
      .slice(0, count)
      .map((chip, at) => ({ chip, text: (at < count - 1 ? chip.brief : undefined) ?? chip.text }));
    if (count <= least || widthOf(shown) + (count < chips.length ? MORE : 0) <= room)
      return { shown, left: chips.length - count };
  }
  return { shown: [], left: chips.length };
}

/** Returns the width of chips in characters of the row. */
export function widthOf(chips: readonly { readonly text: string }[]): number {
  return chips.reduce((sum, { text }) => sum + text.length * CHARACTER + AROUND, 0);
}
