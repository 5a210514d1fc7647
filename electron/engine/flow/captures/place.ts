/** Symbol, source line and disassembly of an address that a capture proves. */
import type { FlowPlace } from '../../../../shared/requests/flow.ts';
import type { Disassembler } from '../../image/disassembler.ts';
import type { Images } from '../../image/images.ts';
import { symbolText } from '../../image/symbols.ts';
import { has, type Code } from './xscale/code.ts';
import { DOES } from './xscale/instruction.ts';

type Disassemble = Disassembler['disassemble'];

/** @param state instruction set as in `Followed.thumb`: 1 Thumb, 0 ARM, -1 unknown */
export function placeOf(
  images: Images,
  code: Code | undefined,
  disassemble: Disassemble,
  at: number,
  state: number,
): FlowPlace {
  const address = BigInt(at);
  const symbol = images.symbolAt(address);
  const line = images.lineAt(address);
  const text = state === -1 ? undefined : textOf(code, disassemble, at, state === 1);
  return {
    ...(symbol !== undefined && { symbol: symbolText(symbol) }),
    ...(line !== undefined && { line: `${line.file}:${line.line}` }),
    ...(text !== undefined && { text }),
  };
}

/** Returns the disassembly. The first half of a Thumb call pair gets the text of the whole call. */
function textOf(code: Code | undefined, disassemble: Disassemble, at: number, thumb: boolean): string | undefined {
  const bytes = code?.bytes(at, thumb);
  if (bytes === undefined) return undefined;
  const does = code?.at(at, thumb);
  if (has(does, DOES.suffix)) return '(2nd half of BL pair)';
  if (has(does, DOES.prefix) && bytes.length === 2) return '(1st half of BL pair)';
  return disassemble({ isa: thumb ? 'thumb' : 'arm', bytes, littleEndian: true, address: BigInt(at) })?.text;
}
