/** Describes the steps of a slice for people and programs: names, values, kinds, and why chains end. */
import type { RecordView } from '../../../../shared/records/record.ts';
import type { Bytes, Why, WhyKind, WhyStep, WhyUse } from '../../../../shared/requests/why.ts';
import { toHex } from '../../../../shared/base/units.ts';
import type { Folded } from './fold.ts';
import { NOT_WRITTEN, type Search } from './last-definition.ts';
import { endOf, spanOfRegister, type Location } from './locations.ts';
import { NOT_FOLLOWED, type Part, type Step, type Use } from './slice.ts';
import { STOPPED } from './stopping.ts';
import { numberOf, type Content } from './values.ts';

export interface Shown {
  readonly search: Search;
  readonly inImage: (location: Location) => boolean;
  /** False if the search was stopped before it ended. */
  readonly isWhole: boolean;
}

interface Described {
  readonly steps: readonly Pick<WhyStep, 'kind' | 'reason' | 'defines' | 'uses' | 'inferred' | 'copies' | 'moved'>[];
  readonly origin: readonly WhyUse[];
  readonly ended: Why['ended'];
}

export function describe(shown: Shown, { steps, origin, open }: Folded): Described {
  const indexOf = new Map(steps.map(({ unit }, k) => [unit.record.n, k]));
  const used = (use: Use, isRead: boolean): readonly WhyUse[] => {
    const step = use.definer === undefined ? undefined : indexOf.get(use.definer);
    const reason =
      use.definer !== undefined && step === undefined
        ? shown.isWhole
          ? 'there are enough steps'
          : STOPPED
        : reasonOf(shown, use, isRead);
    const facts = {
      edge: use.edge,
      step: step ?? null,
      ...(reason !== undefined && { reason }),
      ...(use.inferred && { inferred: true }),
    };
    const places = use.location === undefined ? [NO_PLACE] : bytesOf(shown, use.location, use.bytes);
    return places.map((place) => ({ ...place, ...facts }));
  };
  const described = steps.map((step) => {
    const { defined, uses, copies, moved } = step;
    const own = joinedUses(uses).flatMap((use) => used(use, true));
    const kind = kindOf(step, own);
    const reason = defined.find(({ definition }) => definition.reason !== undefined)?.definition.reason;
    return {
      kind,
      ...(reason !== undefined && { reason }),
      defines: joinedParts(defined).flatMap(({ location, bytes }) => bytesOf(shown, location, bytes)),
      uses: own,
      inferred: defined.some(({ definition }) => definition.inferred) || uses.some(({ inferred }) => inferred),
      ...(copies.length > 0 && { copies }),
      ...(moved !== undefined && { moved }),
    };
  });
  const ends = joinedUses(origin).flatMap((use) => used(use, false));
  const isUnknown =
    ends.some(({ step, reason }) => step === null && !ENDS.has(reason ?? '')) ||
    described.some(
      ({ kind, uses }) =>
        kind === 'unknown' || uses.some(({ reason, step }) => step === null && !ENDS.has(reason ?? '')),
    );
  return {
    steps: described,
    origin: ends,
    ended: {
      reason: !shown.isWhole ? 'cancelled' : open.length > 0 ? 'steps' : isUnknown ? 'unknown' : 'origins',
      open: open.flatMap((location) => bytesOf(shown, location, [])),
    },
  };
}

/** Joins uses of adjacent bytes that the same instruction defined. */
function joinedUses(uses: readonly Use[]): readonly Use[] {
  const result: Use[] = [];
  for (const use of uses) {
    const at = result.findIndex(
      (other) =>
        other.edge === use.edge &&
        other.definer === use.definer &&
        other.inferred === use.inferred &&
        other.reason === use.reason &&
        follows(other.location, use.location),
    );
    if (at < 0) result.push(use);
    else result[at] = { ...result[at]!, ...pair(result[at]!, use) };
  }
  return result;
}

interface Known {
  readonly location: Location | undefined;
  readonly bytes: Content;
}

function joinedParts(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = [];
  for (const part of parts.toSorted((a, b) => Number(a.location.low - b.location.low))) {
    const at = result.findIndex((other) => follows(other.location, part.location));
    if (at < 0) result.push(part);
    else result[at] = { ...result[at]!, ...pair(result[at]!, part) };
  }
  return result;
}

function follows(one: Location | undefined, other: Location | undefined): boolean {
  return one !== undefined && other !== undefined && one.of === other.of && endOf(one) === other.low;
}

function pair<K extends Known>(one: K, other: K): { readonly location: Location; readonly bytes: Content } {
  const location = one.location!;
  const padded = Array.from({ length: location.bytes }, (_, k) => one.bytes[k]);
  return {
    location: { ...location, bytes: location.bytes + other.location!.bytes },
    bytes: [...padded, ...other.bytes],
  };
}

const NO_PLACE: Bytes = { address: '0x0', length: 0, value: null };

const INPUT = 'read, but nothing in the trace wrote it before';
const IMAGE = 'from the program image';
const ENDS: ReadonlySet<string> = new Set([INPUT, IMAGE, NOT_FOLLOWED]);

/** Returns why the bytes of a use have no step. */
export function reasonOf(
  { inImage }: Shown,
  { location, bytes, definer, reason }: Use,
  isRead: boolean,
): string | undefined {
  if (definer !== undefined || location?.of !== 'memory' || reason !== NOT_WRITTEN) return reason;
  if (inImage(location)) return IMAGE;
  return isRead || bytes.some((byte) => byte !== undefined) ? INPUT : NOT_WRITTEN;
}

function kindOf({ defined }: Step, uses: readonly WhyUse[]): WhyKind {
  const hows = new Set(defined.map(({ definition }) => definition.how));
  if (hows.has('unknown')) return 'unknown';
  if (hows.has('computed')) return 'computed';
  if (!hows.has('copy')) return 'constant';
  const data = uses.filter(({ edge }) => edge === 'data');
  if (data.length > 0 && data.every(({ reason }) => reason === IMAGE)) return 'image';
  if (data.length > 0 && data.every(({ reason }) => reason === IMAGE || reason === INPUT)) return 'input';
  return 'copy';
}

/** Returns the bytes of a location with their names: several if it is more than one register. */
export function bytesOf({ search }: Pick<Shown, 'search'>, location: Location, bytes: Content): readonly Bytes[] {
  if (location.of === 'memory') {
    const digits = Array.from({ length: location.bytes }, (_, k) => bytes[k]?.toString(16).padStart(2, '0') ?? '??');
    const value = digits.every((digit) => digit === '??') ? null : digits.join('');
    return [{ address: toHex(location.low), length: location.bytes, value }];
  }
  const { file } = search.machine;
  const cpu = location.of < 0 ? null : location.of;
  return file.namesIn(spanOfRegister(location)).map(({ name, span }) => {
    const at = span.low - Number(location.low);
    const number = bytes.length === 0 ? undefined : numberOf(bytes.slice(at, at + span.bytes));
    return {
      register: span.low === file.counter.low ? 'pc' : name,
      cpu,
      value: number === undefined ? null : toHex(number),
    };
  });
}

export function factsOf({
  n,
  time,
  cpu,
  address,
  symbol,
  line,
  text,
}: RecordView): Pick<WhyStep, 'n' | 'time' | 'cpu' | 'address' | 'symbol' | 'line' | 'text'> {
  return {
    n,
    ...(time !== undefined && { time }),
    ...(cpu !== undefined && { cpu }),
    ...(address !== undefined && { address }),
    ...(symbol !== undefined && { symbol }),
    ...(line !== undefined && { line }),
    ...(text !== undefined && { text }),
  };
}
