/** Reads linked ELF files as images. */
import { BAD_IMAGE } from '../../../../shared/requests/failures.ts';
import type { ImagePlace } from '../../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { createCodeStates } from '../code-states.ts';
import { isElf, readElf } from './elf.ts';
import { elfLines } from './elf-lines.ts';
import { elfSymbols } from './elf-symbols.ts';
import type { ImageContent, ImageReader } from '../image.ts';
import { createSymbolTable } from '../symbols.ts';

export const elfImage: ImageReader = { recognises: isElf, read };

function read(bytes: Uint8Array, place: ImagePlace): Result<ImageContent> {
  const { path } = place;
  const elf = readElf(bytes);
  if (!elf.ok) return fail(BAD_IMAGE, `${path}: ${elf.error.message}; choose the program that ran`);
  if (elf.value.kind === 'object') {
    return fail(BAD_IMAGE, `${path}: this is an object file without addresses; choose the linked program`);
  }
  const { loads, machine, problems } = elf.value;
  const lowest = loads.reduce<bigint | undefined>(
    (least, { address }) => (least === undefined || address < least ? address : least),
    undefined,
  );
  if (place.base !== undefined && lowest === undefined) {
    return fail(
      BAD_IMAGE,
      `${path}: this ELF file has no loaded segments, so it cannot be placed at ${place.base}; leave out the base`,
    );
  }
  const { symbols: found, marks, problems: others } = elfSymbols(elf.value);
  const symbols = createSymbolTable(found);
  const shift = place.base === undefined ? BigInt(place.shift ?? 0) : BigInt(place.base) - (lowest ?? 0n);
  const lines = elfLines(elf.value, symbols);
  return ok({
    form: 'elf',
    shift: BigInt.asUintN(64, shift),
    machine,
    segments: loads,
    symbols,
    states: createCodeStates(marks),
    ...(lines === undefined ? {} : { lines }),
    notices: [...problems, ...others].map((problem) => `${path}: ${problem}`),
  });
}
