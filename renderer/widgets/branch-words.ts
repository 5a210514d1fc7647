/** What a kind of branch is called, its sign and colour; and how its ends are written. */
import type { TraceInfo } from '../../shared/requests/requests.ts';
import type { BranchKind } from '../../shared/flow/events.ts';
import type { Kind } from '../../shared/records/record.ts';
import type { Hue } from '../../present/base/kinds.ts';

export interface BranchLook {
  readonly label: string;
  readonly sign: string;
  readonly hue: Hue;
  /** For people: what the kind means. */
  readonly title: string;
}

export const BRANCH_LOOKS: Readonly<Record<BranchKind, BranchLook>> = {
  call: { label: 'call', sign: '↘', hue: 'fetch', title: 'Calls a function' },
  return: { label: 'return', sign: '↖', hue: 'read', title: 'Goes back behind a call, or to what was interrupted' },
  jump: { label: 'jump', sign: '→', hue: 'branch', title: 'Goes on elsewhere' },
  exception: { label: 'exception', sign: '⇓', hue: 'control', title: 'The instruction itself caused it' },
  interrupt: { label: 'interrupt', sign: '⇩', hue: 'control', title: 'Came from outside' },
  sequential: { label: 'sequential', sign: '↓', hue: 'quiet', title: 'A message without a branch' },
  unknown: { label: 'unknown', sign: '?', hue: 'quiet', title: 'Went on elsewhere; the trace does not tell why' },
};

/** Records that may tell where the program went. */
const TELLING: readonly Kind[] = ['instruction', 'skipped', 'branch', 'exception'];

/** What is said of a trace none of whose records tells where the program went: an image would not help. */
export const NONE_TELLS = 'This trace holds no record of a branch, an exception or an instruction.';

/** True where that is so, as far as is known: while the index grows such records may come. */
export function noneTells(info: TraceInfo | null): boolean {
  return info?.index.complete === true && TELLING.every((kind) => (info.kinds[kind] ?? 0) === 0);
}

/** The kinds in the order in which filters list them. */
const BRANCH_ORDER: readonly BranchKind[] = [
  'call',
  'return',
  'jump',
  'exception',
  'interrupt',
  'sequential',
  'unknown',
];

/** What there is of each kind that occurs, in the order of filters. */
export function inOrder<C extends { readonly kind: BranchKind }>(counted: readonly C[]): readonly C[] {
  return BRANCH_ORDER.flatMap((kind) => counted.find((one) => one.kind === kind) ?? []);
}

/** `fib+0x6`, `0x1003c6`, `not known`: an end as its symbol where it has one. */
export function endText(address: string | undefined, symbol: string | undefined): string {
  return symbol ?? address ?? 'not known';
}

/** Characters that the column of kinds takes: signs, names, and marks where any is inferred. */
export function kindWidth(branches: readonly { readonly kind: BranchKind; readonly inferred: boolean }[]): number {
  const longest = branches.reduce((most, { kind }) => Math.max(most, kind.length), 4);
  return longest + 2 + (branches.some(({ inferred }) => inferred) ? 10 : 0);
}
