/** Facts that the row of a record shows, from the stores of the trace: its height, the records that it stands for, its words, depth and fold. */
import { effectsOf, fetchOf, LONGEST } from '../../../shared/records/attach.ts';
import { isInstruction } from '../../../shared/records/record.ts';
import { group } from '../../../shared/base/numbers.ts';
import type { Note } from '../../../shared/requests/notes.ts';
import { linesOf } from '../../trace/flow/runs.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { chipsOf, widthOf } from '../../widgets/effects.ts';
import { modeWords } from '../../widgets/mode-words.ts';
import { splitSymbol } from '../../widgets/symbols.ts';

/** Largest number of characters that a record other than an instruction needs. */
export const OTHER_MOST = 34;
/** Number of characters for the function and the mode where they change. */
const LABEL = 8;
/** Largest distance in records from a call to the first instruction of the function, for offering a fold. */
const FARTHEST = 40;

/** Returns true if rows of messages are followed by the instructions that ran before them. */
export function hasRunRows({ runs, view }: Trace): boolean {
  return runs.possible && view.disassembly;
}

export interface RowFacts {
  /** Number of lines of a record. A record that is not known yet has one. */
  readonly heightOf: (n: number) => number;
  /** Number of characters that an instruction and its effects need, or that the size and the value of another record need. */
  readonly textOf: (n: number) => number;
  /** For a record of an instruction: which one it belongs to, or an empty text if the row above shows that. */
  readonly tieOf: (n: number, above: number | undefined) => string | undefined;
  /** How the records of an instruction are shown. */
  readonly moreOf: (n: number) => 'none' | 'closed' | 'open';
  /** The record and the hidden records that its row stands for. */
  readonly inRow: (n: number) => readonly number[];
  readonly notesOf: (n: number) => readonly Note[];
  /** Name of the function of an instruction; empty if it is unknown. */
  readonly nameAt: (n: number) => string;
  /** Mode words of an instruction if they differ from those of its CPU's previous instruction, or if its row is the first one. */
  readonly modeOf: (n: number, isFirst: boolean) => string;
  /** First record of the function that record `n` calls, which can be folded into its row. */
  readonly entryOf: (n: number) => number | undefined;
  /** Call depth of a record; undefined if it is unknown. A message has the depth of its source, not of its target. */
  readonly depthOf: (n: number) => number | undefined;
}

export function createRowFacts(trace: Trace): RowFacts {
  const { rows, details, depths, runs, notes } = trace;

  function moreOf(n: number): 'none' | 'closed' | 'open' {
    if (effectsOf(n, rows.at).length === 0 && fetchOf(n, rows.at) === undefined) return 'none';
    return details.isOpen(n) ? 'open' : 'closed';
  }

  function inRow(n: number): readonly number[] {
    if (moreOf(n) !== 'closed') return [n];
    const fetched = fetchOf(n, rows.at);
    return [...(fetched === undefined ? [] : [fetched]), n, ...effectsOf(n, rows.at).map((effect) => effect.n)];
  }

  return {
    heightOf(n) {
      if (details.isHidden(n)) return 0;
      return 1 + (hasRunRows(trace) ? linesOf(runs.of(n)) : 0);
    },
    textOf(n) {
      const record = rows.at(n);
      if (record === undefined) return 0;
      if (!isInstruction(record.kind))
        return record.value === undefined ? 0 : Math.min(OTHER_MOST, record.value.length + 14);
      const chips = chipsOf(effectsOf(n, rows.at)).map(({ brief, text }) => ({ text: brief ?? text }));
      return (record.text ?? '').length + 4 + Math.ceil(widthOf(chips)) + LABEL;
    },
    tieOf(n, above) {
      const owner = details.ownerOf(n);
      if (owner === undefined) return undefined;
      // The fetch of an opcode is above its instruction.
      if (owner > n) return `for ${group(owner)}`;
      return above === owner || (above !== undefined && details.ownerOf(above) === owner) ? '' : `of ${group(owner)}`;
    },
    moreOf,
    inRow,
    notesOf: (n) => [...new Set(inRow(n).flatMap((own) => notes.at(own)))],
    nameAt(n) {
      const record = rows.at(details.ownerOf(n) ?? n);
      return record && isInstruction(record.kind) ? splitSymbol(record.symbol ?? '')[0] : '';
    },
    modeOf(n, isFirst) {
      const record = rows.at(n);
      if (record === undefined || !isInstruction(record.kind)) return '';
      const words = modeWords(record);
      for (let other = n - 1; !isFirst && other >= Math.max(0, n - 5 * LONGEST); other -= 1) {
        const previous = rows.at(other);
        if (previous === undefined) break;
        if (previous.cpu === record.cpu && isInstruction(previous.kind))
          return modeWords(previous) === words ? '' : words;
      }
      return words;
    },
    entryOf(n) {
      const record = rows.at(n);
      if (record === undefined) return undefined;
      if (!isInstruction(record.kind)) return depths.enters(n, record.cpu) ? n : undefined;
      for (let next = n + 1; next <= n + FARTHEST; next += 1) {
        const other = rows.at(next);
        if (other === undefined) return undefined;
        if (other.cpu !== record.cpu || !isInstruction(other.kind)) continue;
        return depths.enters(next, record.cpu) ? next : undefined;
      }
      return undefined;
    },
    depthOf(n) {
      const record = rows.at(n);
      if (record === undefined) return undefined;
      const isMessage = record.kind === 'branch' || record.kind === 'exception';
      const before = isMessage && n > 0 ? depths.of(n - 1, record.cpu) : undefined;
      return before ?? depths.of(n, record.cpu);
    },
  };
}
