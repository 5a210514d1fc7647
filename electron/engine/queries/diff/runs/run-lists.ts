/** Lists of instructions: each list has a number, and equal lists have the same. */
import { longer } from '../../../collections/columns.ts';
import { RowTable } from '../../../collections/row-table.ts';

export interface RunContents {
  /** Returns how many instructions a run has. */
  lengthOf(run: number): number;
  /** Writes the numbers of the instructions of a run into an array, starting at `at`. */
  copy(run: number, into: Int32Array, at: number): void;
}

/** Runs of one element each. */
export const SINGLE: RunContents = {
  lengthOf: () => 1,
  copy(run, into, at) {
    into[at] = run;
  },
};

export interface RunLists extends RunContents {
  /** Returns the number of a list of instructions: equal lists have the same. */
  add(instructions: readonly number[]): number;
}

export function createRunLists(): RunLists {
  const table = new RowTable();
  /** By run: where its instructions are in `all`; one element more: the end. */
  const starts = [0];
  let all = new Int32Array(1 << 14);

  function has(run: number, instructions: readonly number[]): boolean {
    const start = starts[run]!;
    return (
      starts[run + 1]! - start === instructions.length && instructions.every((number, k) => all[start + k] === number)
    );
  }

  return {
    lengthOf: (run) => starts[run + 1]! - starts[run]!,
    copy(run, into, at) {
      for (let k = starts[run]!; k < starts[run + 1]!; k++) into[at++] = all[k]!;
    },
    add(instructions) {
      let hash = 0;
      for (const number of instructions) hash = Math.imul(hash ^ number, 0x2c1b3c6d) ^ (hash >>> 15);
      for (let run = table.first(hash); run >= 0; run = table.next()) if (has(run, instructions)) return run;
      const start = starts.at(-1)!;
      const end = start + instructions.length;
      if (end > all.length) all = longer(all, 2 * end);
      all.set(instructions, start);
      starts.push(end);
      return table.add(hash);
    },
  };
}
