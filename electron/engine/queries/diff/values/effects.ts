/** The instructions of one CPU with their effects: the registers they set, and the memory and ports they accessed, as records show them. */
import { FLAG } from '../../../../../shared/records/batch.ts';
import type { Decoder } from '../../../../../shared/format/format.ts';
import { isLate } from '../../../../../shared/records/attach.ts';
import { isEffect, KIND, KINDS, kindName, type Kind } from '../../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import { joinAddress, type Hex, type RecordNumber } from '../../../../../shared/base/units.ts';
import { visitBatches, type Decoded } from '../../records/block-reader.ts';
import type { Trace } from '../../../trace.ts';
import type { Place } from '../paths/path-parts.ts';
import { effectFields } from './effect-fields.ts';
import { opcodes } from './opcodes.ts';
import type { Side } from '../paths/side.ts';

/** A register that an instruction set. */
export interface Setting {
  readonly name: string;
  /** Undefined if the record does not contain it. */
  readonly value: Hex | undefined;
}

/** An access of an instruction. */
export interface Access {
  readonly kind: Kind;
  readonly address: bigint | undefined;
  /** 0 if it is not known. */
  readonly size: number;
  readonly isAborted: boolean;
  /** Undefined if the record does not contain it. */
  readonly value: Hex | undefined;
}

export interface Effective {
  readonly record: RecordNumber;
  readonly address: bigint;
  /** True if its condition failed. */
  readonly isSkipped: boolean;
  /** Undefined if the trace does not show it. */
  readonly opcode: string | undefined;
  /** True if it does not count; its effects are real all the same. */
  readonly isIgnored: boolean;
  readonly settings: Setting[];
  readonly accesses: Access[];
}

/** Instructions that are read at once, at most. */
const PART = 4096;

/** True if register records of a trace belong to the instruction before the one that they follow. */
export function hasLateRegisters({ reader }: Trace): boolean {
  return reader.decoder.settings['registers'] === 'next';
}

/** Returns a reader of the instructions, also of ignored ones, starting at a place. It returns undefined after the last one of the trace. */
export function createEffectReader(
  { trace, chunks, ignored }: Side,
  { record: start, skip }: Place,
): { next(): Result<Effective | undefined> } {
  const { decoder } = trace.reader;
  const fields = effectFields(decoder);
  const mayBeLate = hasLateRegisters(trace);
  /** Instructions after one that can still have effects of it. */
  const behind = mayBeLate ? 2 : 1;
  let next = start;
  let left = skip;
  let wanted = 64;
  let found: Effective[] = [];
  let at = 0;
  return {
    next() {
      while (at + behind >= found.length && next < trace.blocks.records) {
        const more = readMore();
        if (!more.ok) return more;
      }
      return ok(found[at++]);
    },
  };

  /** Reads the next instructions of a block, and forgets those that were returned. */
  function readMore(): Result<undefined> {
    const { blocks } = trace;
    const block = blocks.blockOfRecord(next);
    // One more stays, because late registers belong to an instruction before.
    const kept = Math.max(0, at - behind);
    found = found.slice(kept);
    at -= kept;
    const most = found.length + wanted;
    wanted = Math.min(PART, wanted * 2);
    return visitBatches(trace, block, next - blocks.firstRecord(block), (decoded) => {
      const { batch, first } = decoded;
      const { kind, cpu } = batch;
      let i = Math.max(0, next - first);
      for (; i < batch.count && found.length < most; i++) {
        const its = kind[i]!;
        if (EFFECTS[its] === 0 || cpu[i] !== chunks.cpu) continue;
        if (its !== KIND.instruction && its !== KIND.skipped) addEffect(decoded, i);
        else {
          const [low, high] = [batch.addressLow[i]!, batch.addressHigh[i]!];
          const isIgnored = ignored?.has(low, high, first + i) === true;
          if (left === 0) found.push(instructionAt(decoder, decoded, i, isIgnored));
          else if (!isIgnored) left--;
        }
      }
      next = first + i;
      return found.length < most;
    });
  }

  function addEffect(decoded: Decoded, i: number): void {
    const last = found.at(-1);
    if (last === undefined) return;
    const isLateOne =
      mayBeLate && decoded.batch.kind[i] === KIND.register && isLate({ ...fields.describe(decoded, i), ...NOWHERE });
    addEffectAt(decoder, decoded, i, isLateOne ? found.at(-2) : last);
  }
}

/** Returns an instruction without its effects. */
export function instructionAt(decoder: Decoder, decoded: Decoded, row: number, isIgnored: boolean): Effective {
  const { batch, first } = decoded;
  return {
    record: first + row,
    address: joinAddress(batch.addressLow[row]!, batch.addressHigh[row]!),
    isSkipped: batch.kind[row] === KIND.skipped,
    isIgnored,
    opcode: isIgnored ? undefined : opcodes(decoder).of(decoded, row),
    settings: [],
    accesses: [],
  };
}

/** Adds an effect to its instruction. */
export function addEffectAt(decoder: Decoder, decoded: Decoded, row: number, owner: Effective | undefined): void {
  const { batch } = decoded;
  const fields = effectFields(decoder);
  if (batch.kind[row] === KIND.register) {
    for (const [name, value] of fields.settings(decoded, row)) owner?.settings.push({ name, value });
    return;
  }
  const flags = batch.flags[row]!;
  owner?.accesses.push({
    kind: kindName(batch.kind[row]!),
    address: (flags & FLAG.address) === 0 ? undefined : joinAddress(batch.addressLow[row]!, batch.addressHigh[row]!),
    size: batch.size[row]!,
    isAborted: (flags & FLAG.noEffect) !== 0,
    value: fields.value(decoded, row),
  });
}

/** Place of a record that is only asked for its marks. */
const NOWHERE = { n: 0, offset: 0, bytes: 0 };

/** By the code of a kind: 1 for instructions and their effects. */
export const EFFECTS = Uint8Array.from(KINDS, (kind) =>
  Number(isEffect(kind) || kind === 'instruction' || kind === 'skipped'),
);
