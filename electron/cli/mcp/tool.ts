/** The contract of a tool: its name, its arguments as JSON Schema, and what it does with one trace. */
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { toHex, type Hex } from '../../../shared/base/units.ts';
import { suggestion } from '../parse.ts';
import type { OpenTrace } from '../trace.ts';
import type { Findings } from './findings.ts';
import type { Call } from './protocol.ts';

/** A property of JSON Schema, as far as arguments need it. */
export type ArgumentSchema =
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum?: number; readonly description: string }
  | { readonly type: 'string'; readonly enum?: readonly string[]; readonly description: string }
  | { readonly type: 'boolean'; readonly description: string }
  | {
      readonly type: 'array';
      readonly items: { readonly type: 'string'; readonly enum?: readonly string[] };
      readonly description: string;
    };

export type ArgumentSchemas = Readonly<Record<string, ArgumentSchema>>;

type ValueOf<S extends ArgumentSchema> = S extends { readonly type: 'integer' }
  ? number
  : S extends { readonly type: 'boolean' }
    ? boolean
    : S extends { readonly type: 'array' }
      ? readonly string[]
      : string;

/** The values of arguments that the schemas have checked. All may be absent; `required` ones are not. */
export type ArgumentValues<S extends ArgumentSchemas> = { readonly [K in keyof S]?: ValueOf<S[K]> };

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: ArgumentSchemas;
  readonly required: readonly string[];
  run(args: ArgumentValues<ArgumentSchemas>, trace: OpenTrace, place: Place): Promise<Result<Findings | string>>;
}

export interface Place {
  /** The cursor of the call as a number; 0 without one. */
  readonly cursor: number;
  readonly call: Call;
  /** Opens another of the traces of the command line. */
  other(name: string): Promise<Result<OpenTrace>>;
}

interface ToolOf<S extends ArgumentSchemas, R extends keyof S & string> extends Omit<
  Tool,
  'arguments' | 'required' | 'run'
> {
  readonly arguments: S;
  readonly required: readonly R[];
  run(
    args: ArgumentValues<S> & { readonly [K in R]: NonNullable<ArgumentValues<S>[K]> },
    trace: OpenTrace,
    place: Place,
  ): Promise<Result<Findings | string>>;
}

/** Defines a tool whose `run` sees its arguments with their types. */
export function tool<const S extends ArgumentSchemas, const R extends keyof S & string = never>(
  own: ToolOf<S, R>,
): Tool {
  // Values checked by `own.arguments` have the types of `own.arguments`; this is the only cast.
  return { ...own, run: (args, trace, place) => own.run(args as Parameters<typeof own.run>[0], trace, place) };
}

/** Record numbers of arguments. */
export const recordNumber = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;
export const text = (description: string) => ({ type: 'string', description }) as const;
export const yes = (description: string) => ({ type: 'boolean', description }) as const;
export const address = text('address as 0x and hexadecimal digits, or in decimal');
export const cpu = { type: 'integer', minimum: 0, description: 'number of the CPU, if the trace has several' } as const;

/** Checks the arguments of a call. Fails with a sentence about the first wrong one. */
export function checked(
  { name, required }: Pick<Tool, 'name' | 'required'>,
  schemas: ArgumentSchemas,
  given: unknown,
): Result<Readonly<Record<string, unknown>>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return fail('usage', `${name}: arguments must be an object`);
  const args = given as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(args)) {
    const schema = schemas[key];
    if (schema === undefined)
      return fail('usage', `${name}: there is no argument '${key}'${suggestion(key, Object.keys(schemas))}`);
    const must = problemOf(schema, args[key]);
    if (must !== undefined) return fail('usage', `${name}: ${key} must be ${must}`);
  }
  const missing = required.find((key) => args[key] === undefined);
  return missing === undefined ? ok(args) : fail('usage', `${name}: ${missing} is missing`);
}

/** Returns what a value must be, if it is not that. */
function problemOf(schema: ArgumentSchema, value: unknown): string | undefined {
  switch (schema.type) {
    case 'integer': {
      const { minimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
      const isIt = Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
      return isIt ? undefined : `a whole number from ${minimum} to ${maximum}`;
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'string':
      return isText(value, schema.enum) ? undefined : (oneOf(schema.enum) ?? 'a text');
    case 'array': {
      const isIt = Array.isArray(value) && value.every((one) => isText(one, schema.items.enum));
      return isIt ? undefined : `a list of ${oneOf(schema.items.enum) ?? 'texts'}`;
    }
  }
}

function isText(value: unknown, values: readonly string[] | undefined): boolean {
  return typeof value === 'string' && (values?.includes(value) ?? true);
}

function oneOf(values: readonly string[] | undefined): string | undefined {
  return values === undefined ? undefined : `one of ${values.join(', ')}`;
}

/** Reads an address or a value. */
export function hexOf(name: string, given: string): Result<Hex> {
  const wanted = given.trim();
  if (!/^(?:0x[\da-f]+|\d+)$/i.test(wanted))
    return fail('usage', `${name} must be 0x and hexadecimal digits, or a decimal number, not '${given}'`);
  return ok(toHex(BigInt(wanted.toLowerCase())));
}

/** Reads the span of `length` bytes at an address, both ends included. */
export function spanAt(given: string, length: number): Result<{ readonly low: Hex; readonly high: Hex }> {
  const low = hexOf('address', given);
  return low.ok ? ok({ low: low.value, high: toHex(BigInt(low.value) + BigInt(length) - 1n) }) : low;
}
