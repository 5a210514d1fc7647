/** Describes an instruction of the static code for an answer: its bytes, text, counts and where it branches to. */
import type { CodeInstruction } from '../../../../shared/requests/source/answers.ts';
import { highHalf, joinAddress, lowHalf, toHex } from '../../../../shared/base/units.ts';
import { createImageCode, type ImageCode } from '../../flow/classify/image-code.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { loadDisassembler, type Disassembler } from '../../image/disassembler.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Trace } from '../../trace.ts';
import { rowOf, type Counts } from './counts.ts';

const codesOf = cachePer((): { code?: ImageCode } => ({}));

/** The static code of a trace's images. It is disassembled once. */
export async function codeOf(trace: Trace): Promise<ImageCode> {
  const disassembler: Disassembler = await loadDisassembler();
  const known = codesOf(trace);
  return (known.code ??= createImageCode(trace.images, disassembler));
}

export function describeInstruction({ images }: Trace, code: ImageCode, counts: Counts, row: number): CodeInstruction {
  const { instructions, lines } = counts.coverage;
  const address = counts.addresses[row]!;
  const size = instructions.sizes[row]!;
  const read = code.at(lowHalf(address), highHalf(address), undefined);
  const target = read?.target && joinAddress(read.target.low, read.target.high);
  const targetRow = target === undefined ? -1 : rowOf(counts, target);
  const targetHit = target === undefined ? undefined : images.symbolAt(target);
  const place = lines[instructions.lines[row]!];
  const [taken, notTaken, skipped] = [instructions.taken[row], instructions.notTaken[row], instructions.skipped[row]];
  return {
    address: toHex(address),
    bytes: Array.from(images.bytesAt(address, size) ?? [], (byte) => byte.toString(16).padStart(2, '0')).join(' '),
    ...(read && { text: read.text }),
    count: instructions.counts[row]!,
    sort: instructions.kinds[row]!,
    ...(typeof skipped === 'number' && { skipped }),
    ...(typeof taken === 'number' && { taken }),
    ...(typeof notTaken === 'number' && { notTaken }),
    ...(target !== undefined && { target: toHex(target) }),
    ...(targetRow >= 0 && { targetRow: counts.listed[targetRow]! }),
    ...(targetHit && { targetSymbol: symbolText(targetHit) }),
    ...(place && { file: place.file, line: place.line }),
  };
}
