/** Names, signs and colours of the kinds of branches, and how the ends of branches are written. */
import type { TraceInfo } from '../../shared/requests/requests.ts';
import type { BranchKind } from '../../shared/flow/events.ts';
import { FLOW_KINDS } from '../../shared/records/record.ts';
import type { Hue } from '../../present/base/kinds.ts';

export interface BranchLook {
  readonly label: string;
  readonly sign: string;
  readonly hue: Hue;
  /** Tooltip: what the kind means. */
  readonly title: string;
}

export const BRANCH_LOOKS: Readonly<Record<BranchKind, BranchLook>> = {
  call: { label: 'call', sign: '↘', hue: 'fetch', title: 'Calls a function' },
  return: { label: 'return', sign: '↖', hue: 'read', title: 'Returns to the caller, or to the interrupted code' },
  jump: { label: 'jump', sign: '→', hue: 'branch', title: 'Continues at another address' },
  exception: { label: 'exception', sign: '⇓', hue: 'control', title: 'Caused by the instruction itself' },
  interrupt: { label: 'interrupt', sign: '⇩', hue: 'control', title: 'Caused by an event outside the program' },
  sequential: { label: 'sequential', sign: '↓', hue: 'quiet', title: 'A message without a branch' },
  unknown: {
    label: 'unknown',
    sign: '?',
    hue: 'quiet',
    title: 'Continues at another address; the trace does not say why',
  },
};

/** Returns true if a trace has no records of program flow. False while the index grows, because such records may follow. */
export function lacksFlowRecords(info: TraceInfo | null): boolean {
  return info?.index.complete === true && FLOW_KINDS.every((kind) => (info.kinds[kind] ?? 0) === 0);
}

/** Kinds in the order of filters. */
const BRANCH_ORDER: readonly BranchKind[] = [
  'call',
  'return',
  'jump',
  'exception',
  'interrupt',
  'sequential',
  'unknown',
];

/** Returns the counts of the kinds that occur, in the order of filters. */
export function inOrder<C extends { readonly kind: BranchKind }>(counted: readonly C[]): readonly C[] {
  return BRANCH_ORDER.flatMap((kind) => counted.find((one) => one.kind === kind) ?? []);
}

/** Returns an end of a branch as its symbol, else its address: `fib+0x6`, `0x1003c6`, `unknown`. */
export function endText(address: string | undefined, symbol: string | undefined): string {
  return symbol ?? address ?? 'unknown';
}

/** Returns the width of the column of kinds in characters: sign, name, and the mark of inferred branches if there are any. */
export function kindWidth(branches: readonly { readonly kind: BranchKind; readonly inferred: boolean }[]): number {
  const longest = branches.reduce((most, { kind }) => Math.max(most, kind.length), 4);
  return longest + 2 + (branches.some(({ inferred }) => inferred) ? 10 : 0);
}
