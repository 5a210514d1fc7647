/** Answers where a value goes: the steps of its forward slice, and how the values that they made ended. */
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import type { RecordView } from '../../../../../shared/records/record.ts';
import type { SearchProgress } from '../../../../../shared/requests/requests.ts';
import type { Why, WhyEnd, WhyStep } from '../../../../../shared/requests/why.ts';
import { answerInSlices } from '../../../threads/in-slices.ts';
import type { Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { annotated } from '../../records/annotate.ts';
import { bytesOf, describe, factsOf, type Shown } from '../describe.ts';
import { foldForward } from './fold-forward.ts';
import { forwardSlice, type ForwardOptions, type GrowingForward } from './forward.ts';
import { contentOf, type Ending } from './lives.ts';
import type { Search } from '../last-definition.ts';
import { endOf, type Location } from '../locations.ts';
import { untilStopped } from '../stopping.ts';

type Answer = Pick<Why, 'steps' | 'origin' | 'ended' | 'ends' | 'copies' | 'forward'>;

/** @param stopped returns true if the answer is to have only what is found by then */
export async function answerForward(
  trace: Trace,
  search: Search,
  inImage: Shown['inImage'],
  subject: readonly Location[],
  at: RecordNumber,
  options: ForwardOptions,
  task: Task<SearchProgress>,
  stopped: () => boolean,
): Promise<Result<Answer>> {
  const growing: GrowingForward = { soFar: () => ({ steps: [], endings: [], open: subject }) };
  let isWhole = true;
  const slicing = untilStopped(forwardSlice(search, subject, at, options, growing), stopped, () => {
    const found = growing.soFar();
    isWhole = found.open.length === 0;
    return found;
  });
  const sliced = await answerInSlices(slicing, task, (reached) => task.progress(() => ({ at: reached })));
  if (!sliced.ok) return sliced;
  const shown: Shown = { search, inImage, isWhole };
  const { endings, open } = sliced.value;
  const { steps, copies } = foldForward(sliced.value.steps, options.allCopies);
  const described = describe(shown, { steps, origin: [], open });
  const visible = new Set<RecordNumber | undefined>([undefined, ...steps.map(({ unit }) => unit.record.n)]);
  const joined = joinedEndings(endings.filter(({ life }) => visible.has(life.definer)));
  const { ownerOf } = shown.search.instructions;
  const owners = joined.flatMap(({ n }) => (n === undefined ? [] : [ownerOf(n)]));
  const records = recordsOf(shown, [...steps.map(({ unit }) => unit.record.n), ...owners]);
  const named = new Map(
    (await annotated(trace.images, trace.reader.decoder, records)).map((record) => [record.n, record] as const),
  );
  const endsOf = (definer: RecordNumber | undefined): readonly WhyEnd[] =>
    joined.filter(({ life }) => life.definer === definer).flatMap((ending) => endOfBytes(shown, ending, named));
  const isUnknown = endings.some(({ how, life }) => how === 'unknown' || life.doubt !== undefined);
  return ok({
    forward: true,
    steps: described.steps.map((step, k): WhyStep => {
      const { n } = steps[k]!.unit.record;
      return { ...factsOf(named.get(n)!), ...step, ends: endsOf(n) };
    }),
    origin: [],
    ...(copies.length > 0 && { copies }),
    ends: endsOf(undefined),
    ended: {
      ...described.ended,
      reason: !shown.isWhole ? 'cancelled' : open.length > 0 ? 'steps' : isUnknown ? 'unknown' : 'ends',
    },
  });
}

function recordsOf({ search }: Shown, numbers: readonly RecordNumber[]): readonly RecordView[] {
  return [...new Set(numbers)].flatMap((n) => search.instructions.at(n) ?? []);
}

function endOfBytes(shown: Shown, ending: Ending, named: ReadonlyMap<RecordNumber, RecordView>): readonly WhyEnd[] {
  const { life, location, how, n, reason = life.doubt } = ending;
  const text = n === undefined ? undefined : named.get(shown.search.instructions.ownerOf(n))?.text;
  return bytesOf(shown, location, contentOf(life, location)).map((bytes) => ({
    ...bytes,
    how,
    ...(n !== undefined && { n }),
    ...(text !== undefined && { text }),
    ...(reason !== undefined && { reason }),
  }));
}

/** Joins the endings of adjacent bytes of one value that ended in the same way. */
function joinedEndings(endings: readonly Ending[]): readonly Ending[] {
  const result: Ending[] = [];
  const sorted = endings.toSorted(
    (a, b) => (a.n ?? Infinity) - (b.n ?? Infinity) || Number(a.location.low - b.location.low),
  );
  for (const ending of sorted) {
    const { life, location, how, n, reason } = ending;
    const at = result.findIndex(
      (other) =>
        other.life === life &&
        other.how === how &&
        other.n === n &&
        other.reason === reason &&
        endOf(other.location) === location.low,
    );
    if (at < 0) result.push(ending);
    else
      result[at] = {
        ...ending,
        location: { ...location, low: result[at]!.location.low, bytes: result[at]!.location.bytes + location.bytes },
      };
  }
  return result;
}
