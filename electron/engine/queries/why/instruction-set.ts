/**
 * The instruction set of a trace whose letters do not name it: QEMU4V writes `A` for the only set of a processor, whichever it is. The
 * disassembly in the trace shows it: one set reads the opcodes as the same mnemonics.
 */
import type { RecordView } from '../../../../shared/records/record.ts';
import type { InstructionBytes } from '../../image/disassembler.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { createWholeTraceResult } from '../../flow/whole-trace.ts';
import { loadDisassembler } from '../../image/disassembler.ts';
import type { Isa } from '../../image/machine.ts';
import type { Trace } from '../../trace.ts';
import { instructionOf } from '../records/instruction-bytes.ts';
import { opcodeBytes } from '../records/opcode-bytes.ts';
import { records } from '../records/records.ts';

/** Returns the bytes and instruction set of a record's instruction; undefined if either is unknown. */
export type CodeReader = (record: RecordView) => InstructionBytes | undefined;

const CANDIDATES: readonly Isa[] = ['arm', 'mips32', 'mips64', 'riscv32', 'riscv64'];
/** Records that are looked at, those that are read at once, and different opcodes that are compared. */
const LOOKED_AT = 2048;
const STRETCH = 128;
const COMPARED = 32;
/** Parts of the opcodes that must have the mnemonic of the trace: assemblers have several names for some. */
const AGREEING = 0.75;

export async function codeReader(trace: Trace): Promise<CodeReader> {
  const guessed = await instructionSetOf(trace);
  const armIsa = guessed === 'arm';
  return (record) => {
    const known = instructionOf(trace.images, armIsa, record);
    if (known !== undefined || guessed === undefined || record.isa !== 'A') return known;
    return withSet(record, guessed);
  };
}

function withSet(record: RecordView, isa: Isa): InstructionBytes | undefined {
  const bytes = opcodeBytes(record, 'little');
  if (bytes === undefined || record.address === undefined) return undefined;
  return { isa, bytes, littleEndian: true, address: BigInt(record.address) };
}

interface Guess {
  readonly isa?: Isa | undefined;
}

const guesses = cachePer((): { made?: Promise<Guess> } => ({}));
const knownGuess = createWholeTraceResult<Guess, Guess>({
  name: 'instruction-set',
  toTable: (made) => made,
  fromTable: (made) => made,
});

/** Returns the instruction set of a trace whose letters do not name it; undefined if its disassembly does not show it. */
export async function instructionSetOf(trace: Trace): Promise<Isa | undefined> {
  if (trace.reader.decoder.armIsa === true) return 'arm';
  const { isa } = await (guesses(trace).made ??= guessOnce(trace));
  return isa;
}

/** Takes the guess from the index, where it is kept: disassembling loads Capstone. */
async function guessOnce(trace: Trace): Promise<Guess> {
  const known = knownGuess.get(trace);
  if (known !== undefined) return known;
  const made = { isa: await guess(trace) };
  knownGuess.set(trace, trace.blocks.records, made);
  return made;
}

async function guess(trace: Trace): Promise<Isa | undefined> {
  const byOpcode = new Map<string, RecordView>();
  for (let from = 0; from < LOOKED_AT && byOpcode.size < COMPARED; from += STRETCH) {
    const read = records(trace, { from, count: STRETCH });
    if (!read.ok) return undefined;
    for (const record of read.value.records)
      if (record.isa === 'A' && record.opcode !== undefined && record.text !== undefined)
        byOpcode.set(record.opcode, record);
  }
  if (byOpcode.size === 0) return undefined;
  const { disassemble } = await loadDisassembler();
  const scores = CANDIDATES.map((isa) => {
    const agreeing = [...byOpcode.values()].filter((record) => {
      const code = withSet(record, isa);
      return code !== undefined && mnemonicOf(disassemble(code)?.text) === mnemonicOf(record.text);
    });
    return { isa, share: agreeing.length / byOpcode.size };
  });
  const [best] = scores.sort((a, b) => b.share - a.share);
  return best !== undefined && best.share >= AGREEING ? best.isa : undefined;
}

function mnemonicOf(text: string | undefined): string {
  return text?.trim().split(/\s/, 1)[0]?.toLowerCase() ?? '';
}
