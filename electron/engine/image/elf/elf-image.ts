/** Reads linked ELF files as images. */
import { BAD_IMAGE } from '../../../../shared/requests/failures.ts';
import type { ImagePlace } from '../../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { createCodeStates } from '../code-states.ts';
import { isElf, readElf, SECTION, type Elf, type Load } from './elf.ts';
import { findDebugFile, type DebugSearch } from './debug-file.ts';
import { elfLines, hasLines } from './elf-lines.ts';
import { elfSymbols } from './elf-symbols.ts';
import { UNREPORTED, type ImageContent, type ImageReader, type Report, type Segment } from '../image.ts';
import { createSymbolTable } from '../symbols.ts';

export const elfImage: ImageReader = { recognises: isElf, read };

const NO_SEARCH: DebugSearch = { found: undefined, problems: [] };

function read(bytes: Uint8Array, place: ImagePlace, report: Report = UNREPORTED): Result<ImageContent> {
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
  const own = elfSymbols(elf.value, report);
  const isComplete = elf.value.sections.some(({ type }) => type === SECTION.symbols) && hasLines(elf.value);
  const search = isComplete ? NO_SEARCH : findDebugFile(elf.value, path);
  const debug = search.found === undefined ? undefined : { ...search.found, ...elfSymbols(search.found.elf, report) };
  const symbols = createSymbolTable([...own.symbols, ...(debug?.symbols ?? [])], place.rawNames);
  const shift = place.base === undefined ? BigInt(place.shift ?? 0) : BigInt(place.base) - (lowest ?? 0n);
  const lines = elfLines(elf.value, symbols, report) ?? (debug && elfLines(debug.elf, symbols, report));
  return ok({
    form: 'elf',
    shift: BigInt.asUintN(64, shift),
    movable: elf.value.kind === 'shared' && place.base === undefined && place.shift === undefined,
    machine,
    segments: loads.map((load) => segmentOf(elf.value, load)),
    symbols,
    states: createCodeStates(own.marks.length > 0 ? own.marks : (debug?.marks ?? [])),
    ...(lines === undefined ? {} : { lines }),
    ...(debug === undefined ? {} : { debug: { path: debug.path, digest: debug.digest } }),
    notices: [
      ...[...problems, ...own.problems, ...search.problems].map((problem) => `${path}: ${problem}`),
      ...(debug?.problems ?? []).map((problem) => `${debug?.path ?? path}: ${problem}`),
    ],
  });
}

function segmentOf(elf: Elf, load: Load): Segment {
  const { address, bytes, fileOffset, memory, flags } = load;
  const segment = { address, bytes, fileOffset, memory, flags };
  const notInitial = reasonNotInitial(elf, load);
  return notInitial === undefined ? segment : { ...segment, notInitial };
}

/**
 * Returns the reason why memory may have other bytes at the segment's address when the program starts; undefined if there is none. The
 * physical address is where the bytes of a bare-metal program lie at first. Linkers that do not use it write zero into every segment.
 */
function reasonNotInitial({ kind, isDynamic, loads }: Elf, { address, physical, flags }: Load): string | undefined {
  if (kind !== 'executable' && kind !== 'shared') return 'the file is not a program';
  if (isDynamic && flags.includes('w')) return 'the dynamic linker changes them before the program starts';
  if (physical === undefined || physical === address || loads.every((load) => load.physical === 0n)) return undefined;
  return `the program starts with them at ${toHex(physical)} and copies them`;
}
