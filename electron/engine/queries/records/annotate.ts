/**
 * Adds facts from images to records: the symbol and source line of each address, and disassembly for instructions without text. Unknown
 * facts are omitted.
 */
import type { Decoder } from '../../../../shared/format/format.ts';
import { isInstruction, KINDS, MOVES, type Kind, type RecordView } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { Hex } from '../../../../shared/base/units.ts';
import { loadDisassembler } from '../../image/disassembler.ts';
import type { Images } from '../../image/images.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Trace } from '../../trace.ts';
import { instructionOf } from './instruction-bytes.ts';

/** Annotates the records of an answer. */
export async function annotate<A extends { readonly records: readonly RecordView[] }>(
  trace: Trace,
  answer: Result<A>,
): Promise<Result<A>> {
  if (!answer.ok) return answer;
  return ok({ ...answer.value, records: await annotated(trace.images, trace.reader.decoder, answer.value.records) });
}

export async function annotated(
  images: Images,
  decoder: Decoder,
  records: readonly RecordView[],
): Promise<readonly RecordView[]> {
  const disassembled = await withText(images, decoder.armIsa === true, records);
  return images.list.length === 0 ? disassembled : disassembled.map((record) => withPlaces(images, record));
}

/** Disassembles instructions without text from their opcode, or from the image bytes at their address. */
async function withText(
  images: Images,
  armIsa: boolean,
  records: readonly RecordView[],
): Promise<readonly RecordView[]> {
  const bare = ({ kind, text }: RecordView): boolean => isInstruction(kind) && text === undefined;
  if (!records.some(bare)) return records;
  const { disassemble } = await loadDisassembler();
  return records.map((record) => {
    const code = bare(record) ? instructionOf(images, armIsa, record) : undefined;
    const found = code && disassemble(code);
    // Code whose size differs from the recorded size is not the code that ran.
    if (found === undefined || (record.size ?? found.size) !== found.size) return record;
    const marks = record.opcode === undefined ? ['disassembled', 'from-image'] : ['disassembled'];
    return { ...record, text: found.text, flags: [...(record.flags ?? []), ...marks] };
  });
}

/** Kinds whose address is a memory address, rather than a port, a vector or an identifier of a message. */
const IN_MEMORY: ReadonlySet<Kind> = new Set([
  'instruction',
  'skipped',
  'branch',
  'exception',
  ...KINDS.filter((_, code) => MOVES[code] === 1),
]);
/** Kinds whose address is the address of an instruction. */
const OF_CODE: ReadonlySet<Kind> = new Set(['instruction', 'skipped', 'branch', 'exception']);

function withPlaces(images: Images, record: RecordView): RecordView {
  const { kind, address, target, source } = record;
  const symbol = IN_MEMORY.has(kind) ? symbolOf(images, address) : undefined;
  const line = OF_CODE.has(kind) ? lineOf(images, address) : undefined;
  const targetSymbol = symbolOf(images, target);
  const sourceSymbol = symbolOf(images, source);
  return {
    ...record,
    ...(symbol === undefined ? {} : { symbol }),
    ...(line === undefined ? {} : { line }),
    ...(targetSymbol === undefined ? {} : { targetSymbol }),
    ...(sourceSymbol === undefined ? {} : { sourceSymbol }),
  };
}

function symbolOf(images: Images, address: Hex | undefined): string | undefined {
  const hit = address === undefined ? undefined : images.symbolAt(BigInt(address));
  return hit && symbolText(hit);
}

function lineOf(images: Images, address: Hex | undefined): string | undefined {
  const found = address === undefined ? undefined : images.lineAt(BigInt(address));
  return found && `${found.file}:${found.line}`;
}
