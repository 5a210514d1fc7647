/** Labels and categorical colours of the kinds of records. Related kinds share a hue, because a trace rarely has both. */
import { KINDS, type Kind } from '../../shared/records/record.ts';

export type Hue = 'fetch' | 'read' | 'write' | 'port-read' | 'port-write' | 'control' | 'branch' | 'register' | 'quiet';

export interface KindLook {
  readonly label: string;
  readonly hue: Hue;
  /** True if records of this kind can have an address that heatmaps count. */
  readonly charted: boolean;
}

export const KIND_LOOKS: Readonly<Record<Kind, KindLook>> = {
  instruction: { label: 'Instruction', hue: 'fetch', charted: true },
  skipped: { label: 'Skipped', hue: 'quiet', charted: true },
  fetch: { label: 'Fetch', hue: 'fetch', charted: true },
  read: { label: 'Read', hue: 'read', charted: true },
  write: { label: 'Write', hue: 'write', charted: true },
  'bus-fetch': { label: 'Bus fetch', hue: 'fetch', charted: true },
  'bus-read': { label: 'Bus read', hue: 'read', charted: true },
  'bus-write': { label: 'Bus write', hue: 'write', charted: true },
  'io-read': { label: 'I/O read', hue: 'port-read', charted: true },
  'io-write': { label: 'I/O write', hue: 'port-write', charted: true },
  'interrupt-acknowledge': { label: 'Interrupt acknowledge', hue: 'control', charted: true },
  special: { label: 'Special cycle', hue: 'control', charted: true },
  branch: { label: 'Branch', hue: 'branch', charted: true },
  exception: { label: 'Exception', hue: 'control', charted: true },
  register: { label: 'Register', hue: 'register', charted: false },
  event: { label: 'Event', hue: 'control', charted: false },
  idle: { label: 'Idle', hue: 'quiet', charted: false },
  other: { label: 'Other text', hue: 'quiet', charted: false },
};

/** Returns the label of a kind inside a sentence: `bus read`, `I/O read`. */
export function kindWords(kind: Kind): string {
  const { label } = KIND_LOOKS[kind];
  return label.startsWith('I/O') ? label : label.toLowerCase();
}

/** Returns the kinds that occur, most frequent first. */
export function occurring(
  counts: Partial<Record<Kind, number>>,
): readonly { readonly kind: Kind; readonly count: number }[] {
  return KINDS.map((kind) => ({ kind, count: counts[kind] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

/** Kinds in the order in which charts stack them, from the bottom. */
export function stacked(kinds: readonly Kind[]): readonly Kind[] {
  return [...kinds].sort((a, b) => HUES.indexOf(KIND_LOOKS[a].hue) - HUES.indexOf(KIND_LOOKS[b].hue));
}

const HUES: readonly Hue[] = [
  'fetch',
  'branch',
  'register',
  'read',
  'write',
  'port-read',
  'port-write',
  'control',
  'quiet',
];

/** Kinds that interrupt the program. The overview marks them separately. */
export function interrupts(kind: Kind): boolean {
  return kind === 'interrupt-acknowledge' || kind === 'exception';
}
