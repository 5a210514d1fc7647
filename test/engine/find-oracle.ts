/** Matching records by testing each record alone: its fields, its own bytes, and big integers. */
import type { Criteria } from '../../shared/requests/requests.ts';
import { FLAG } from '../../shared/records/batch.ts';
import type { Decoder } from '../../shared/format/format.ts';
import type { RecordFields } from '../../shared/records/record.ts';
import { decodeAll } from '../laws/drive.ts';

export interface QueriedRecord {
  readonly n: number;
  readonly fields: RecordFields;
  /** First and last byte touched. */
  readonly low: bigint | undefined;
  readonly high: bigint | undefined;
  /** Text that regular expressions search. */
  readonly texts: readonly string[];
}

export function askAll(decoder: Decoder, bytes: Uint8Array): readonly QueriedRecord[] {
  const lines = decoder.framing.kind === 'lines';
  return decodeAll(decoder, bytes, { describe: () => true }).records.map(
    ({ n, start, end, fields, flags, address, size }) => {
      if (fields === undefined) throw new Error('a record was not described');
      const low = (flags & FLAG.address) === 0 ? undefined : BigInt(address);
      const last = low === undefined ? undefined : low + BigInt(Math.max(1, size)) - 1n;
      const line = new TextDecoder().decode(bytes.slice(start, Math.min(end, start + 65_536)));
      const named = [fields.native, fields.text ?? '', ...(fields.flags ?? [])].join(' ');
      const own = lines ? line.replace(/[\r\n]+$/, '') : named;
      const texts = lines && fields.kind === 'event' ? [own, fields.text ?? ''] : [own];
      return { n, fields, low, high: last, texts };
    },
  );
}

export function isMatch({ n, fields, low, high, texts }: QueriedRecord, wanted: Criteria): boolean {
  const { address, kinds, value, width, register, text, from, to } = wanted;
  if ((from !== undefined && n < from) || (to !== undefined && n >= to)) return false;
  if (kinds !== undefined && !kinds.includes(fields.kind)) return false;
  if (address !== undefined) {
    if (low === undefined || high === undefined) return false;
    if (low > BigInt(address.high) || high < BigInt(address.low)) return false;
  }
  if (register !== undefined && !registersOf(fields).some(([name]) => name === register)) return false;
  if (text !== undefined && !texts.some((one) => new RegExp(text, 'u').test(one))) return false;
  return value === undefined || valuesOf(fields).some(([own, bytes]) => isIn(own, bytes, value, width));
}

function registersOf({ kind, register, registers, value }: RecordFields): readonly (readonly [string, string?])[] {
  if (kind !== 'register') return [];
  return registers ?? (register === undefined ? [] : [[register, value ?? '']]);
}

/** Values with their number of bytes, 0 if unknown. */
export function valuesOf({ value, size, registers }: RecordFields): (readonly [string, number])[] {
  return [
    ...(value === undefined ? [] : [[value, size ?? 0] as const]),
    ...(registers ?? []).flatMap(([, one]) => (one === undefined ? [] : [[one, 0] as const])),
  ];
}

/** Digits, two per byte, highest byte first; a match may begin at any byte. */
function isIn(own: string, bytes: number, wanted: string, width: number | undefined): boolean {
  if (width === undefined) return own === wanted;
  const digits = own.slice(2) === '0' ? '' : own.slice(2);
  const even = digits.length + (digits.length % 2);
  const padded = digits.padStart(Math.max(even, 2 * (bytes === 0 ? width : bytes)), '0');
  const looked = wanted.slice(2).padStart(2 * width, '0');
  for (let at = 0; at + looked.length <= padded.length; at += 2) if (padded.startsWith(looked, at)) return true;
  return false;
}
