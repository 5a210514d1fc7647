/** What an effect of an instruction is in a few characters: `r3=0x10`, `[0x8000]←0x5`, `[0x8004]→0x7`. */
import type { RecordView } from '../../shared/records/record.ts';

export interface Chip {
  /** The record that says so. */
  readonly n: number;
  readonly hue: 'register' | 'read' | 'write';
  readonly text: string;
  /** The register that it sets. */
  readonly register?: string;
}

export function chipsOf(record: RecordView): readonly Chip[] {
  const { n, kind, address, value = '?' } = record;
  if (kind === 'register') {
    const set = record.registers ?? (record.register === undefined ? [] : [[record.register, value] as const]);
    return set.map(([name, its]) => ({ n, hue: 'register', text: `${name}=${its}`, register: name }));
  }
  const isWrite = kind === 'write' || kind === 'io-write';
  const where = `[${address ?? '?'}]`;
  return [{ n, hue: isWrite ? 'write' : 'read', text: `${where}${isWrite ? '←' : '→'}${value}` }];
}
