/**
 * The contents of a watched thing, followed from record to record: which stretches of the trace may change them, and what each record does
 * to them. One kind for memory and one for registers.
 */
import { FLAG, NO_CPU, type Batch } from '../../../../shared/records/batch.ts';
import { KIND } from '../../../../shared/records/record.ts';
import { createRegisterFile, namesSet, settersOf } from '../../../../shared/records/registers.ts';
import { ok } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { KNOWN } from '../../../../shared/requests/requests.ts';
import type { Contents, WatchChange, WatchSubject } from '../../../../shared/requests/watches.ts';
import { decodeRegisterSets } from '../../index/builders/register-sets.ts';
import { NODE } from '../../index/store/index-file.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { mayAccess } from '../access/access-memory.ts';
import { isWrite, nextAccess, offsetInSpan, READ_KINDS, WRITE_KINDS } from '../access/accesses.ts';
import { memorySteps } from '../memory/memory.ts';
import { replayRegisters } from '../memory/registers.ts';
import { recordBytes, type Decoded } from '../records/block-reader.ts';
import { spanOf } from '../records/span.ts';

/** Receives what a record did, in order. Returns false to stop. */
export type TakeEvent = (event: WatchEvent) => boolean;

export type WatchEvent =
  (WatchChange & { readonly changed: true }) | { readonly changed: false; readonly n: RecordNumber };

export interface Followed {
  /** Returns the contents after the last record that was visited. */
  text(): Contents;
  /** Sets the contents to those after record `at`; -1 is before the first record. */
  start(at: RecordNumber): Steps<undefined>;
  /** Returns false if no record of the node changes or rewrites the contents. */
  mayConcern(level: number, node: number): boolean;
  /**
   * Applies the records [from, to) of a batch. `take` receives changes and writes of the same value. Returns false if it stopped; later
   * records are then not applied.
   */
  visit(decoded: Decoded, from: RecordNumber, to: RecordNumber, take: TakeEvent): boolean;
}

export function follow(trace: Trace, subject: WatchSubject): Followed {
  return subject.register === undefined
    ? followMemory(trace, BigInt(subject.address ?? '0x0'), subject.bytes ?? 1, subject.mask)
    : followRegister(trace, subject.register, subject.cpu ?? NO_CPU);
}

function followMemory(trace: Trace, low: bigint, length: number, maskText?: string): Followed {
  const span = spanOf(low, low + BigInt(length) - 1n);
  const kinds = READ_KINDS | WRITE_KINDS;
  const bytes = new Uint8Array(length);
  const known = new Uint8Array(length);
  const mask = maskOf(length, maskText);
  let text = textOf(bytes, known, mask);

  /** Applies a record. Returns true if a byte changed. */
  function apply(batch: Batch, i: number, valued: boolean): boolean {
    const offset = offsetInSpan(batch, i, span);
    const end = Math.min(length, offset + Math.max(1, batch.size[i]!));
    let changed = false;
    for (let byte = Math.max(0, offset); byte < end; byte++) {
      const its = valued ? batch.values.bytes[batch.valueAt[i]! + byte - offset]! : 0;
      const how = valued ? 1 : 0;
      changed ||= known[byte] !== how || bytes[byte] !== its;
      known[byte] = how;
      bytes[byte] = its;
    }
    return changed;
  }

  return {
    text: () => text,
    *start(at) {
      if (at >= 0) {
        const held = yield* memorySteps(trace, { at, address: `0x${low.toString(16)}`, length });
        if (!held.ok) return held;
        for (let byte = 0; byte < length; byte++) known[byte] = held.value.known[byte] === KNOWN.not ? 0 : 1;
        bytes.set(held.value.bytes);
      }
      text = textOf(bytes, known, mask);
      return ok(undefined);
    },
    // Accesses without values neither change nor rewrite unknown bytes.
    mayConcern: (level, node) => trace.ingest.totals.valued && mayAccess(trace, level, node, kinds, span),
    visit({ batch, first }, from, to, take) {
      const end = Math.min(batch.count, to - first);
      for (let i = Math.max(0, from - first); ; i++) {
        i = nextAccess(batch, kinds, span, i, end);
        if (i >= end) return true;
        const writes = isWrite(batch, i);
        const valued = (batch.flags[i]! & FLAG.value) !== 0;
        if (!writes && !valued) continue;
        const n = first + i;
        const before = text;
        if (apply(batch, i, valued)) text = textOf(bytes, known, mask);
        if (text !== before) {
          if (!take({ changed: true, n, before, after: text, how: writes ? 'write' : 'read' })) return false;
          // A write without a value to unknown bytes is not known to leave the same value.
        } else if (writes && valued && !take({ changed: false, n })) return false;
      }
    },
  };
}

/** Returns the bits of each byte that belong to the contents. */
export function maskOf(length: number, text: string | undefined): Uint8Array {
  return Uint8Array.from({ length }, (_, byte) =>
    text === undefined ? 0xff : Number.parseInt(text.slice(2 * byte, 2 * byte + 2), 16),
  );
}

/** Writes memory as contents. `known`: 0 for an unknown byte. */
export function textOf(bytes: Uint8Array, known: Uint8Array, mask: Uint8Array): Contents {
  let text = '';
  for (let byte = 0; byte < bytes.length; byte++)
    text += known[byte] === 0 && mask[byte] !== 0 ? '??' : (bytes[byte]! & mask[byte]!).toString(16).padStart(2, '0');
  return text;
}

function followRegister(trace: Trace, register: string, cpu: number): Followed {
  const { decoder } = trace.reader;
  const sets = settersOf(register);
  const file = createRegisterFile();
  /** Maps the number of a register set to true if it can change the register. */
  const concerning = new Map<number, boolean>();
  let text: Contents = '';

  function contents(): Contents {
    const known = file.known();
    const whole = known.find(({ name }) => name === register);
    if (whole) return whole.value;
    return known
      .filter(({ name }) => name.startsWith(`${register}<`))
      .map(({ name, value }) => `${name}=${value}`)
      .join(' ');
  }

  return {
    text: () => text,
    *start(at) {
      yield Math.max(0, at);
      if (at >= 0) {
        const replayed = replayRegisters(trace, at, (its, name, value, since) => {
          if (its === cpu && sets(name)) file.set(name, value, since);
        });
        if (!replayed.ok) return replayed;
      }
      text = contents();
      return ok(undefined);
    },
    mayConcern: (level, node) =>
      decodeRegisterSets(trace.index.blob(NODE.registers, level, node)).some(
        (set) => set.cpu === cpu && sets(set.name),
      ),
    visit(decoded, from, to, take) {
      const { batch, first } = decoded;
      const end = Math.min(batch.count, to - first);
      for (let i = Math.max(0, from - first); i < end; i++) {
        if (batch.kind[i] !== KIND.register || batch.cpu[i] !== cpu) continue;
        const code = batch.registers[i]!;
        if (code !== 0 && concerning.get(code) === false) continue;
        const n = first + i;
        const all = namesSet(decoder.describe(recordBytes(decoded, i), batch, i));
        const own = all.filter(([name]) => sets(name));
        if (code !== 0) concerning.set(code, own.length > 0);
        if (own.length === 0) continue;
        for (const [name, value] of own) file.set(name, value, n);
        const before = text;
        text = contents();
        if (text !== before) {
          if (!take({ changed: true, n, before, after: text, how: 'set' })) return false;
        } else if (own.every(([, value]) => value !== undefined) && !take({ changed: false, n })) return false;
      }
      return true;
    },
  };
}
