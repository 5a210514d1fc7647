/** Places of notes as people read and type them: `1,234`, `1,234 to 2,000`; `0x8000`, `0x8000+16`. */
import type { NoteDraft, NotePlace } from '../../../shared/requests/notes.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import { toHex } from '../../../shared/base/units.ts';
import { group } from '../../../shared/base/numbers.ts';
import type { AddressSpan } from '../cursor.svelte.ts';
import { parsePlace } from '../place.ts';

export type DraftPlace = NoteDraft['place'];

export function recordsText({ n, to }: DraftPlace): string {
  return to === undefined || to === n + 1 ? group(n) : `${group(n)} to ${group(to - 1)}`;
}

export function addressText({ address, length }: DraftPlace): string {
  return address === undefined ? '' : length === undefined ? address : `${address}+${length}`;
}

/** @param last last record that the cursor can go to */
export function readNotePlace(records: string, address: string, last: number): Result<DraftPlace> {
  const span = /^\s*([\d,_]+)\s*(?:(?:to|-|–)\s*([\d,_]+)\s*)?$/.exec(records);
  if (!span) return fail('place', 'Type a record such as 1,234, or a range such as 1,234 to 2,000.');
  const n = toNumber(span[1]);
  const end = span[2] === undefined ? undefined : toNumber(span[2]);
  if (n > last || (end ?? 0) > last) return fail('place', `The last record is ${group(last)}.`);
  if (end !== undefined && end < n) return fail('place', 'The range ends before it begins.');
  const about = { n, ...(end === undefined || end === n ? {} : { to: end + 1 }) };
  if (address.trim() === '') return ok(about);
  const place = parsePlace(address);
  if (place.kind !== 'address') return fail('place', 'Type an address such as 0x8000, or a span such as 0x8000+16.');
  return ok({ ...about, ...addressOf({ low: place.low, bytes: place.bytes }) });
}

export function addressOf({ low, bytes }: AddressSpan): Pick<DraftPlace, 'address' | 'length'> {
  return { address: toHex(low), ...(bytes === 1 ? {} : { length: bytes }) };
}

export function spanOf({ address, length }: Pick<NotePlace, 'address' | 'length'>): AddressSpan | undefined {
  return address === undefined ? undefined : { low: BigInt(address), bytes: length ?? 1 };
}

function toNumber(digits = ''): number {
  return Number(digits.replaceAll(/[,_]/g, ''));
}
