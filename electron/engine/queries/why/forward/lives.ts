/** Values on their way through a trace: each lives in its bytes until instructions have defined all of these. */
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { overlap, without, type Location } from '../locations.ts';
import type { Search } from '../last-definition.ts';
import type { Modes } from '../register-tests.ts';
import type { Content } from '../values.ts';

export interface Life {
  /** Bytes that had the value at first, and the value. */
  readonly location: Location;
  readonly bytes: Content;
  /** The instruction that made the value; undefined for the value of the question. */
  readonly definer: RecordNumber | undefined;
  /** The record from which on the bytes have the value. */
  readonly since: RecordNumber;
  /** How a register can become that of another mode, or be set by an exception. */
  readonly modes: Modes;
  /** Bytes that still have the value. */
  parts: readonly Location[];
  /** The instruction that used the value last; at first that which made it. */
  used: RecordNumber;
  /** Instructions that begin before this record are looked at. */
  next: RecordNumber;
  /** Why the value may have gone where no step shows it. */
  doubt?: string;
}

/** Why bytes no longer have a value, or why it was not followed further. */
export interface Ending {
  readonly life: Life;
  readonly location: Location;
  /** `kept`: until the trace ends. */
  readonly how: 'overwritten' | 'kept' | 'unknown';
  /** The instruction that overwrote them; the record that shows it if the instruction began before the life. */
  readonly n?: RecordNumber;
  readonly reason?: string;
}

/** Takes bytes from a life, and returns how they ended. */
export function endBytes(life: Life, bytes: Location, why: Pick<Ending, 'how' | 'n' | 'reason'>): readonly Ending[] {
  const ended = life.parts.flatMap((part) => overlap(part, bytes) ?? []);
  if (ended.length > 0) life.parts = life.parts.flatMap((part) => without(part, bytes));
  return ended.map((location) => ({ life, location, ...why }));
}

/** Returns the bytes of a part of a life. */
export function contentOf({ location, bytes }: Life, part: Location): Content {
  const from = Number(part.low - location.low);
  return Array.from({ length: part.bytes }, (_, k) => bytes[from + k]);
}

/** Returns why a life ends at a record that touches it: missing instructions can have changed the bytes before. */
export function missingBefore(
  { gaps }: Search,
  { location, definer, since }: Life,
  n: RecordNumber,
): Pick<Ending, 'how' | 'reason'> | undefined {
  const gap = gaps.before(location, n);
  return gap === undefined || gap.from <= (definer ?? since) ? undefined : { how: 'unknown', reason: gap.reason };
}

/** Returns how a life ends that nothing touches up to the end of the trace. */
export function keptUntil(search: Search, life: Life): Pick<Ending, 'how' | 'reason'> {
  const { blocks, ingest } = search.trace;
  const last = blocks.records - 1;
  const missing = missingBefore(search, life, last);
  if (missing !== undefined) return missing;
  const reason = `the trace is not indexed after record ${last.toLocaleString('en')}`;
  return ingest.complete ? { how: 'kept' } : { how: 'unknown', reason };
}
