/** Short texts for the effects of an instruction: `r3=0x10`, `[0x8000]←0x5`, `[0x8004]→0x7`. */
import type { RecordView } from '../../shared/records/record.ts';

export interface Chip {
  /** Record of the effect. */
  readonly n: number;
  readonly hue: 'register' | 'read' | 'write';
  readonly text: string;
  /** Register that is set. */
  readonly register?: string;
}

export function chipsOf(record: RecordView): readonly Chip[] {
  const { n, kind, address, value = '?' } = record;
  if (kind === 'register') {
    const set = record.registers ?? (record.register === undefined ? [] : [[record.register, value] as const]);
    return set.map(([name, own]) => ({ n, hue: 'register', text: `${name}=${own}`, register: name }));
  }
  const isWrite = kind === 'write' || kind === 'io-write';
  const where = `[${address ?? '?'}]`;
  return [{ n, hue: isWrite ? 'write' : 'read', text: `${where}${isWrite ? '←' : '→'}${value}` }];
}
