/** The list shows one row for each instruction. The records that belong to it are hidden until a person opens the row. */
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { TraceBase } from '../trace-base.ts';
import { ownerOf } from '../../../shared/records/attach.ts';

export interface Details {
  /** The records of all instructions are shown. */
  all: boolean;
  /** Instructions whose rows a person opened. */
  readonly opened: readonly RecordNumber[];
  readonly restore: (opened: readonly RecordNumber[]) => void;
  readonly isOpen: (instruction: RecordNumber) => boolean;
  /** Opens or closes the row of an instruction. */
  readonly set: (instruction: RecordNumber, open: boolean) => void;
  /** Returns true if the record belongs to an instruction whose row is closed. False for a record that is not known yet. */
  readonly isHidden: (n: RecordNumber) => boolean;
  /** Returns the instruction that a record belongs to. */
  readonly ownerOf: (n: RecordNumber) => RecordNumber | undefined;
  /** Opens the row that hides a record. The row that was opened so before closes. */
  readonly show: (n: RecordNumber) => void;
}

export function createDetails(trace: () => TraceBase): Details {
  let all = $state(false);
  let open = $state.raw<ReadonlySet<RecordNumber>>(new Set());
  let shown = $state<RecordNumber | undefined>(undefined);

  const isOpen = (instruction: RecordNumber): boolean => all || open.has(instruction) || shown === instruction;
  const owner = (n: RecordNumber): RecordNumber | undefined => ownerOf(n, trace().rows.at);

  return {
    get all() {
      return all;
    },
    set all(next) {
      all = next;
      open = new Set();
      shown = undefined;
    },
    get opened() {
      return [...open];
    },
    restore: (opened) => (open = new Set(opened)),
    isOpen,
    set(instruction, isWanted) {
      const next = new Set(open);
      if (isWanted) next.add(instruction);
      else next.delete(instruction);
      open = next;
      if (!isWanted && shown === instruction) shown = undefined;
    },
    isHidden(n) {
      const instruction = owner(n);
      return instruction !== undefined && !isOpen(instruction);
    },
    ownerOf: owner,
    show(n) {
      const instruction = owner(n);
      if (instruction !== undefined) shown = instruction;
    },
  };
}
