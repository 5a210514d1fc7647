/**
 * Reads units of debug information whose entries are in another file together with the part that the program has of them, the skeleton.
 *
 * DWARF 5, section 3.1.2 and 3.1.3 (skeleton and split units); GNU's form before it: https://gcc.gnu.org/wiki/DebugFission
 */
import { ATTRIBUTE, type Entry, type InfoSections, type Unit } from './dwarf-entries.ts';
import type { SplitName, SplitSections } from './split-files.ts';

export interface Skeleton extends SplitName {
  /** Offset of the unit's list in `.debug_addr`, which stays in the program. */
  readonly addressesAt: number;
}

/** Returns the skeleton that the first entry of a unit is; undefined if the unit is not in another file. */
export function skeletonOf(entry: Entry): Skeleton | undefined {
  const { values, unit } = entry;
  const name = (values.get(ATTRIBUTE.splitName) ?? values.get(ATTRIBUTE.gnuSplitName))?.text;
  const id = splitId(entry);
  if (name === undefined || id === undefined) return undefined;
  return { name, directory: values.get(ATTRIBUTE.directory)?.text, id, addressesAt: unit.addressesAt };
}

/** Returns the id that both parts of a split unit have, from the first entry of one of them. */
export function splitId({ values, unit }: Entry): bigint | undefined {
  return unit.id ?? values.get(ATTRIBUTE.gnuSplitId)?.number;
}

/** Prepares a unit of a split file for `visitEntries`. */
export function completeUnit(unit: Unit, { addressesAt }: Skeleton): void {
  unit.addressesAt = addressesAt;
  // Before DWARF 5, the list of texts has no header.
  if (unit.version < 5) unit.stringOffsetsAt = 0;
}

/** Returns the sections of a split file, with the addresses that stay in the program. */
export function splitInfo(
  { addresses }: InfoSections,
  { info, abbreviations, strings, stringOffsets }: SplitSections,
): InfoSections {
  return {
    info,
    abbreviations,
    ...(strings && { strings }),
    ...(stringOffsets && { stringOffsets }),
    ...(addresses && { addresses }),
  };
}
