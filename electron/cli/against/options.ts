/** `--against`: shows the change from the trace of the command line to another one. */
import type { Arguments } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { Context } from '../command.ts';
import { images, path, type Values } from '../options/options.ts';
import { shift } from '../options/shift.ts';
import { walkProgress } from '../print/search-progress.ts';
import { withBoth } from '../two-traces.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

const imageB = images('the program of the other trace, by default that of --image; repeatable');

export const againstOptions = {
  against: path('OTHER', 'show the change from TRACE (A) to this trace (B)'),
  'image-b': imageB,
  shift,
};

/** Options of reports that compare two runs. */
export const comparedOptions = {
  against: path('OTHER', 'the trace of the other run, for parts that compare both'),
  'image-b': imageB,
};

export type AgainstValues = Values<typeof againstOptions>;

/** Help text of the commands that have these options. */
export const AGAINST_NOTE =
  '--against compares whole traces. Functions are the same if they have the same name, or else the same address after --shift.';

/** Fails if options are given without --against that only have a meaning with it, or with it that have none. */
export function checkAgainst(
  { command }: Context,
  { against, 'image-b': imageB, shift: moved }: AgainstValues,
  others: Readonly<Record<string, unknown>>,
): Result<void> {
  if (against === undefined) {
    const lone = imageB !== undefined ? 'image-b' : moved !== undefined ? 'shift' : undefined;
    return lone === undefined ? ok(undefined) : fail('usage', `${command}: --${lone} needs --against`);
  }
  const given = Object.keys(others).find((name) => others[name] !== undefined);
  return given === undefined
    ? ok(undefined)
    : fail('usage', `${command}: --against cannot be combined with --${given}`);
}

export interface Sides {
  readonly a: OpenTrace;
  readonly b: OpenTrace;
  /** Addresses of B minus those of A. */
  readonly shift: string;
}

/** Runs `work` on both traces. Their shift is found unless it is given. */
export function withSides(
  context: Context,
  against: string,
  { 'image-b': imageB, shift: given }: AgainstValues,
  work: (sides: Sides) => Promise<Result<void>>,
): Promise<Result<void>> {
  return withBoth(context, { path: against, images: imageB }, async (a, b) => {
    if (given?.bytes !== undefined) return work({ a, b, shift: given.bytes });
    const found = await a.request(
      'shift',
      { trace: a.id, other: b.id },
      { onEvent: walkProgress(context, a.opened.file.bytes, 'following the program') },
    );
    context.progress.clear();
    return found.ok ? work({ a, b, shift: found.value.shift }) : found;
  });
}

/** Runs `work` on the trace of the command line, and on the other one if there is one. Both are indexed. */
export async function withCompared(
  context: Context,
  { against, 'image-b': imagesB }: Values<typeof comparedOptions>,
  work: (trace: OpenTrace, other: OpenTrace | undefined) => Promise<Result<void>>,
  more: Pick<Arguments<'open'>, 'notebook'> = {},
): Promise<Result<void>> {
  if (against !== undefined) return withBoth(context, { path: against, images: imagesB }, work, more);
  if (imagesB !== undefined) return fail('usage', `${context.command}: --image-b needs --against`);
  return withTrace(
    context,
    async (trace) => {
      const indexed = await trace.index();
      return indexed.ok ? work(trace, undefined) : indexed;
    },
    more,
  );
}

/** Requests the same about both traces. */
export async function fromBoth<T>(
  context: Context,
  { a, b }: Pick<Sides, 'a' | 'b'>,
  ask: (trace: OpenTrace, onEvent: (event: { readonly at: number; readonly to: number }) => void) => Promise<Result<T>>,
): Promise<Result<readonly [T, T]>> {
  const its = await ask(a, walkProgress(context, a.opened.file.bytes, 'following the program'));
  if (!its.ok) return its;
  const others = await ask(b, walkProgress(context, b.opened.file.bytes, 'following the program'));
  context.progress.clear();
  return others.ok ? ok([its.value, others.value]) : others;
}

/** Prints the notes about both traces. */
export function notifyOfBoth(
  context: Context,
  [a, b]: readonly [{ readonly notes: readonly string[] }, { readonly notes: readonly string[] }],
): void {
  for (const note of a.notes) context.notify(`A: ${note}`);
  for (const note of b.notes) context.notify(`B: ${note}`);
}

/** Fails if costs of the two traces are counted in different things. */
export function sameUnit<T extends { readonly unit: string }>([a, b]: readonly [T, T]): Result<void> {
  return a.unit === b.unit
    ? ok(undefined)
    : fail('usage', `costs cannot be compared: the first trace counts ${a.unit}, and the other one ${b.unit}`);
}
