/** Describes an instruction of the static code for an answer: its bytes, text, counts and where it branches to. */
import type { CodeInstruction } from '../../../../shared/requests/source/answers.ts';
import { highHalf, joinAddress, lowHalf, toHex } from '../../../../shared/base/units.ts';
import { createImageCode, type ImageCode } from '../../flow/classify/image-code.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { loadDisassembler, type Disassembler } from '../../image/disassembler.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Trace } from '../../trace.ts';
import { listedRow } from '../coverage/listed-code.ts';
import type { Counts } from './counts.ts';

const codesOf = cachePer((): { code?: ImageCode } => ({}));

/** The static code of a trace's images. It is disassembled once. */
export async function codeOf(trace: Trace): Promise<ImageCode> {
  const disassembler: Disassembler = await loadDisassembler();
  const known = codesOf(trace);
  return (known.code ??= createImageCode(trace.images, disassembler));
}

/** Where an instruction is, and what happened there. */
export interface InstructionFacts extends Pick<CodeInstruction, 'count' | 'sort' | 'file' | 'line'> {
  readonly address: bigint;
  readonly size: number;
  /** As in columns of `coverage`. */
  readonly skipped: number | null | undefined;
  readonly taken: number | null | undefined;
  readonly notTaken: number | null | undefined;
}

/** @param rowOf returns the row of the instruction that contains an address in a listing; undefined if there is no listing, or no row */
export function describeInstruction(
  { images }: Trace,
  code: ImageCode,
  { address, size, count, sort, skipped, taken, notTaken, file, line }: InstructionFacts,
  rowOf: (address: bigint) => number | undefined = () => undefined,
): CodeInstruction {
  const read = code.at(lowHalf(address), highHalf(address), undefined);
  const target = read?.target && joinAddress(read.target.low, read.target.high);
  const targetRow = target === undefined ? undefined : rowOf(target);
  const targetHit = target === undefined ? undefined : images.symbolAt(target);
  return {
    address: toHex(address),
    bytes: Array.from(images.bytesAt(address, size) ?? [], (byte) => byte.toString(16).padStart(2, '0')).join(' '),
    ...(read && { text: read.text }),
    count,
    sort,
    ...(typeof skipped === 'number' && { skipped }),
    ...(typeof taken === 'number' && { taken }),
    ...(typeof notTaken === 'number' && { notTaken }),
    ...(target !== undefined && { target: toHex(target) }),
    ...(targetRow !== undefined && { targetRow }),
    ...(targetHit && { targetSymbol: symbolText(targetHit) }),
    ...(file !== undefined && line !== undefined && { file, line }),
  };
}

/** Returns what `coverage` says about the instruction of a row. */
export function factsOf({ coverage: { lines }, code, addresses }: Counts, row: number): InstructionFacts {
  const place = lines[code.rows.lines[row]!];
  return {
    address: addresses[row]!,
    size: code.size[row]!,
    count: code.rows.counts[row]!,
    ...listedRow(code.rows, row),
    ...(place && { file: place.file, line: place.line }),
  };
}
