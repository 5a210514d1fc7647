/** The slow oracle of where values went: the edges of the replay turned around, from each definition of a byte to the units that used it. */
import { inRegisters, type Byte, type Defined, type EdgeKind, type Replay } from './oracle.ts';
import type { RegisterFile } from '../../../electron/engine/instructions/register-file.ts';

interface User {
  readonly n: number;
  readonly edge: EdgeKind;
  /** The record that read the byte of memory; the unit for registers. */
  readonly at: number;
  /** The byte that was made of it. */
  readonly made: Byte;
}

export interface Users {
  /** Returns the units that used a byte as `definer` defined it; undefined for a byte that none had defined. */
  of(byte: Byte, definer: number | undefined): readonly User[];
  readonly isCounter: (byte: Byte) => boolean;
}

export function usersIn({ units, cpus }: Replay, file: RegisterFile): Users {
  const counters = new Set([...cpus].flatMap((cpu) => inRegisters(cpu, file.counter)));
  const isCounter = (byte: Byte): boolean => counters.has(byte);
  const users = new Map<string, User[]>();
  for (const [n, { of }] of units)
    for (const [made, edges] of of)
      for (const { edge, byte, definer, at = n } of edges) {
        if (byte === undefined) continue;
        const key = `${byte} ${definer ?? ''}`;
        const known = users.get(key) ?? [];
        users.set(key, known);
        // The values that a branch read decided where the program went.
        known.push({ n, edge: edge === 'data' && isCounter(made) ? 'control' : edge, at, made });
      }
  return { isCounter, of: (byte, definer) => users.get(`${byte} ${definer ?? ''}`) ?? [] };
}

export interface ForwardStep {
  readonly n: number;
  readonly defines: Set<Byte>;
  /** As `data 0 12 <- 33`; the value of the question has no number. */
  readonly uses: Set<string>;
}

export interface ForwardAnswer {
  readonly steps: readonly ForwardStep[];
  /** By step, -1 for the question, and byte: the unit that defined the byte next; `lost` if a mode may have another register of this name. */
  readonly ends: readonly string[];
}

/** Returns what used the bytes as they are after record `at`, and what used that: at most so many units, the oldest first. */
export function forwardClosure(
  replay: Replay,
  users: Users,
  requested: readonly Byte[],
  at: number,
  kinds: ReadonlySet<EdgeKind>,
  most: number,
): ForwardAnswer {
  const steps = new Map<number, ForwardStep>();
  const pending = new Map<number, { readonly user: User; readonly text: string }[]>();
  const ends = new Set<string>();
  const want = (byte: Byte, definer: number | undefined, from: string, fits: (user: User) => boolean): void => {
    for (const user of users.of(byte, definer)) {
      if (!kinds.has(user.edge) || !fits(user) || (users.isCounter(user.made) && !kinds.has('control'))) continue;
      const known = pending.get(user.n) ?? [];
      pending.set(user.n, known);
      known.push({ user, text: `${user.edge} ${byte} <- ${from}` });
    }
  };
  for (const byte of requested) {
    const definer = replay.definerAt(byte, at);
    const next = definitionAfter(replay, byte, definer, (each) => each.at > at);
    const isGone = isMissing(replay, byte, at, timeOf(byte, next));
    ends.add(endText(-1, byte, isGone ? LOST : next && (next.n > at ? next : { ...next, n: next.at })));
    // Bytes that no unit defined before: a definition in between makes others of them.
    const isValue = (user: User): boolean =>
      user.at > at &&
      (next === undefined || !isBefore(byte, next, user)) &&
      !isMissing(replay, byte, at, byte.startsWith('m ') ? user.at : user.n);
    want(byte, definer, 'value', isValue);
  }
  while (pending.size > 0 && steps.size < most) {
    const n = Math.min(...pending.keys());
    const step = steps.get(n) ?? { n, defines: new Set(), uses: new Set() };
    steps.set(n, step);
    const found = pending.get(n)!;
    pending.delete(n);
    for (const { user, text } of found) {
      step.uses.add(text);
      if (step.defines.has(user.made)) continue;
      step.defines.add(user.made);
      if (users.isCounter(user.made)) continue;
      const next = definitionAfter(replay, user.made, n, laterThan(replay, user.made, n));
      ends.add(endText(n, user.made, isMissing(replay, user.made, n, timeOf(user.made, next)) ? LOST : next));
      want(user.made, n, String(n), () => true);
    }
  }
  return { steps: [...steps.values()], ends: steps.size >= most ? [] : [...ends].sort() };
}

/** Returns a test of definitions that take effect after that of unit `n`. */
function laterThan(replay: Replay, byte: Byte, n: number): (each: Defined) => boolean {
  const own = replay.definitionsOf(byte).find((each) => each.n === n)!;
  return byte.startsWith('m ') ? ({ at }) => at > own.at : (each) => each.n > n;
}

/** Returns the definition that ends the value which `definer` gave a byte. */
function definitionAfter(
  replay: Replay,
  byte: Byte,
  definer: number | undefined,
  isLater: (each: Defined) => boolean,
): Defined | undefined {
  const known = replay.definitionsOf(byte);
  const own = known.find(isLater);
  // A record of a register that cannot be read stands for those that its instruction is not known to define.
  const any = replay.definitionsOf(`${byte.split(' ')[0]!} *`).find((each) => each.n !== definer && isLater(each));
  if (own === undefined || any === undefined) return own ?? any;
  return any.n < own.n ? any : own;
}

const LOST = { n: -1, isLost: true } as const;

/** Returns the record at which a definition takes effect, the last record of all for none. */
function timeOf(byte: Byte, definition: Defined | undefined): number {
  return definition === undefined ? Infinity : byte.startsWith('m ') ? definition.at : definition.n;
}

/** Returns true if missing instructions can have changed a byte after record `since`, as seen by record `n`. */
function isMissing({ gaps }: Replay, byte: Byte, since: number, n: number): boolean {
  const [of] = byte.split(' ');
  return gaps.some(({ cpu, from, to }) => (of === 'm' || Number(of) === cpu) && from < n && since < to);
}

function isBefore(byte: Byte, definition: Defined, user: User): boolean {
  return byte.startsWith('m ') ? definition.at < user.at : definition.n < user.n;
}

export function endText(step: number, byte: Byte, next: Pick<Defined, 'n' | 'isLost'> | undefined): string {
  return `${step} ${byte}: ${next === undefined ? 'kept' : next.isLost === true ? 'lost' : next.n}`;
}
