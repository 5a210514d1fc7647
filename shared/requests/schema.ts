/**
 * Building blocks for the schemas of arguments, and the one way to check a value and to say what is wrong with it.
 *
 * Every message completes a sentence that begins with the name of the argument: `must be a whole number from 1 to 100`.
 */
import * as v from 'valibot';
import { isKind } from '../records/record.ts';
import type { Kind } from '../records/record.ts';
import type { Hex } from '../base/units.ts';

export type Schema<T = unknown> = v.GenericSchema<unknown, T>;

/** A schema that can complete the sentence `--option must be ...`. */
export type WordedSchema<T> = Schema<T> & { readonly message: string };

/** An argument that may be absent. An explicit undefined is refused: JSON has none. */
export const optional = v.exactOptional;

/** The type that a schema accepts, readonly throughout. */
export type Checked<S extends Schema> = Frozen<v.InferOutput<S>>;

type Frozen<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : { readonly [K in keyof T]: Frozen<T[K]> };

/** Accepts what `test` accepts. `must` is the message for everything else. */
export function rule<T>(test: (value: unknown) => boolean, must: string): WordedSchema<T> {
  return v.custom<T>(test, must) as unknown as WordedSchema<T>;
}

/** A whole number in [low, high] that a double holds exactly. */
export function whole(low: number, high: number): WordedSchema<number> {
  return rule(
    (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= low && value <= high,
    `must be a whole number from ${low} to ${high}`,
  );
}

/** Text without NUL characters. Lengths count UTF-16 code units. */
export function text(most: number, least = 1): WordedSchema<string> {
  return rule(
    (value) => typeof value === 'string' && value.length >= least && value.length <= most && !value.includes('\0'),
    `must be a text of ${limits(least, most)} characters`,
  );
}

/** Any text of at most `most` characters, NUL included: the content of a file, which its reader judges. */
export function fileText(most: number): WordedSchema<string> {
  return rule(
    (value) => typeof value === 'string' && value.length <= most,
    `must be a text of at most ${most} characters`,
  );
}

function limits(least: number, most: number): string {
  return least === 0 ? `at most ${most}` : `${least} to ${most}`;
}

/** One of the given texts or numbers. */
export function oneOf<const T extends string | number>(all: readonly T[]): WordedSchema<T> {
  return rule((value) => all.some((one) => one === value), `must be one of ${all.join(', ')}`);
}

/** A list of `least` to `most` items. */
export function list<S extends Schema>(item: S, most: number, least = 1) {
  const must = `must be a list of ${limits(least, most)} items`;
  // The length is checked first, so that no list is too long to be checked in a moment.
  const short = v.custom<readonly unknown[]>(
    (value) => Array.isArray(value) && value.length >= least && value.length <= most,
    must,
  );
  return v.pipe(short, v.array(item, must));
}

/** An object with at most `most` fields of any names, and the same kind of text in each. */
export function texts(
  most: number,
  item: WordedSchema<string>,
  must: string,
): Schema<Readonly<Record<string, string>>> {
  const anyFields = rule<Fields>(
    (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length <= most,
    must,
  );
  // Not the record of valibot, which leaves out names such as `constructor` without checking them.
  const allTexts = v.rawCheck<Fields>(({ dataset: { typed, value: input }, addIssue }) => {
    if (!typed) return;
    const key = Object.keys(input).find((name) => !v.is(item, input[name]));
    if (key === undefined) return;
    addIssue({ message: item.message, path: [{ type: 'object', origin: 'value', input, key, value: input[key] }] });
  });
  return v.pipe(anyFields, allTexts) as unknown as Schema<Readonly<Record<string, string>>>;
}

/** An object with these fields and no others. */
export function object<const E extends v.ObjectEntries>(fields: E) {
  const schema = v.strictObject(fields, objectProblem);
  // An array is an object to valibot, which would accept an empty one if all fields are optional.
  const run: (typeof schema)['~run'] = (dataset, config) =>
    schema['~run'](Array.isArray(dataset.value) ? { value: undefined } : dataset, config);
  return { ...schema, '~run': run } as typeof schema;
}

/** An object in a file that people exchange: fields that a later version may have added are dropped. */
export function partOfFile<const E extends v.ObjectEntries>(fields: E) {
  return v.object(fields, ({ path }) => (path === undefined ? 'must be an object' : MISSING));
}

/**
 * A field of a file that people exchange, which counts as absent (undefined) if its content is invalid, so that the rest can still
 * be used.
 */
export function lenient<S extends Schema>(schema: S) {
  return v.optional(v.fallback(v.optional(schema), undefined));
}

/** A list in a file that people exchange: invalid items are dropped. */
export function validItems<T>(item: WordedSchema<T>): Schema<readonly T[]> {
  return v.pipe(
    v.array(v.unknown()),
    v.transform((all) => all.filter((one): one is T => v.is(item, one))),
  );
}

/** A value that its reader checks. */
export const anything = v.unknown();

const MISSING = 'is missing';
const UNKNOWN = 'is not an argument of this request';

function objectProblem(issue: v.StrictObjectIssue): string {
  if (issue.expected === 'never') return UNKNOWN;
  return issue.path === undefined ? 'must be an object' : MISSING;
}

/** A rule about several fields of an object, with a message about the field `at`. */
export interface ObjectRule<T> {
  readonly at: string;
  readonly test: (value: T) => boolean;
  readonly must: string;
}

export function check<T>(at: keyof T & string, test: (value: T) => boolean, must: string): ObjectRule<T> {
  return { at, test, must };
}

/** The schema, restricted to objects that obey the rules. They are tested once all fields are valid. */
export function where<S extends Schema>(schema: S, ...rules: readonly ObjectRule<v.InferOutput<S>>[]): S {
  const actions = rules.map(({ at, test, must }) =>
    v.rawCheck<unknown>(({ dataset: { typed, value }, addIssue }) => {
      if (!typed || test(value)) return;
      const input = value as Fields;
      addIssue({ message: must, path: [{ type: 'object', origin: 'value', input, key: at, value: input[at] }] });
    }),
  );
  // A pipe keeps all properties of its schema, such as the entries that a variant needs.
  return v.pipe(schema, ...(actions as unknown as readonly [])) as unknown as S;
}

/** Refuses a range that ends before it begins. */
export const ordered: ObjectRule<Range> = {
  at: 'from',
  test: ({ from, to }) => from === undefined || to === undefined || from <= to,
  must: 'must not be greater than to',
};

/** Refuses an empty span of addresses; `high` is exclusive. */
export const span: ObjectRule<Span> = {
  at: 'low',
  test: ({ low, high }) => low === undefined || high === undefined || BigInt(low) < BigInt(high),
  must: 'must be less than high',
};

/** Refuses a span of addresses that ends before it begins; `high` is inclusive. */
export const closedSpan: ObjectRule<Span> = {
  at: 'low',
  test: ({ low, high }) => low === undefined || high === undefined || BigInt(low) <= BigInt(high),
  must: 'must not be greater than high',
};

type Fields = Record<string, unknown>;

interface Range {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

interface Span {
  readonly low?: Hex | undefined;
  readonly high?: Hex | undefined;
}

/** A number of a record, a byte offset, a revision: any whole number that a double holds exactly. */
export const record = whole(0, Number.MAX_SAFE_INTEGER);
export const hex = rule<Hex>(
  (value) => typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/.test(value),
  'must be 0x and up to 16 lower-case hexadecimal digits without padding',
);
/** An exclusive upper end may be one past the highest address. */
export const hexEnd = rule<Hex>(
  (value) =>
    value === '0x10000000000000000' || (typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/.test(value)),
  'must be 0x and lower-case hexadecimal digits, at most 0x10000000000000000',
);
/** A value may be as wide as a vector register: 2048 bits. */
export const wideHex = rule<Hex>(
  (value) => typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,511})$/.test(value),
  'must be 0x and lower-case hexadecimal digits without padding',
);
export const flag = rule<boolean>((value) => typeof value === 'boolean', 'must be true or false');
export const finite = rule<number>((value) => Number.isFinite(value), 'must be a number');
export const kind = rule<Kind>((value) => typeof value === 'string' && isKind(value), 'must be a kind of record');
export const kinds = list(kind, 32);
export const cpu = whole(0, 32_767);
/** Columns of time, or rows of addresses, of any chart or table. */
export const cells = whole(1, 16_384);
export const path = text(32_768);
/** The id of a function within an answer. */
export const functionId = text(200);

/** The first problem of a value: the path to the wrong part, and the rest of the sentence. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly must: string;
  /** True for a field that the schema does not have. */
  readonly isUnknown: boolean;
  /** True for a required field that is absent. */
  readonly isMissing: boolean;
}

/** Returns the accepted value, without fields that `partOfFile` drops, or its first problem. */
export function parse<S extends Schema>(
  schema: S,
  value: unknown,
): { readonly ok: true; readonly value: Checked<S> } | { readonly ok: false; readonly problem: Problem } {
  const { issues, output } = v.safeParse(schema, value, { abortEarly: true });
  const issue = issues?.[0];
  if (issue === undefined) return { ok: true, value: output as Checked<S> };
  const path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  const must = issue.message;
  return { ok: false, problem: { path, must, isUnknown: must === UNKNOWN, isMissing: must === MISSING } };
}

/** Returns the first problem of a value, or undefined if the schema accepts it. */
export function problemOf(schema: Schema, value: unknown): Problem | undefined {
  const checked = parse(schema, value);
  return checked.ok ? undefined : checked.problem;
}

/** Returns a path as JavaScript writes it: `put[0].place.n`. */
export function pathText(at: Problem['path']): string {
  return at.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('');
}
