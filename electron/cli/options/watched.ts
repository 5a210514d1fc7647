/** The options of `watch` and `history` that name what is watched, and what they name in an open trace. */
import { group } from '../../../shared/base/numbers.ts';
import {
  formOf,
  knowledgeOf,
  maskOf,
  numberOf,
  valueText,
  type Reading,
} from '../../../shared/requests/answers/watch-value.ts';
import {
  ENDIANS,
  WATCH_BYTES_MOST,
  WATCH_FORMS,
  type Contents,
  type Endian,
  type WatchForm,
  type WatchSubject,
} from '../../../shared/requests/watches.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { toHex, type RecordNumber } from '../../../shared/base/units.ts';
import type { Context } from '../command.ts';
import type { OpenTrace } from '../trace.ts';
import { addressSpan, spanOf, type TypedSpan } from './addresses.ts';
import { oneOf, several, word, type Values } from './options.ts';
import { CPU, missing } from './state-at.ts';

export const WATCHED = {
  register: several(
    word('NAME', 'this register, named as `registers` prints it; repeatable', 'the name of a register'),
  ),
  address: several(addressSpan('A[-B]', `these bytes of memory, at most ${WATCH_BYTES_MOST}; repeatable`)),
  variable: several(
    word(
      'NAME',
      'this variable of --image, or a part of it as in C: p->next, s.field, a[3], *p (from DWARF); repeatable',
      'the name of a variable',
    ),
  ),
  cpu: CPU('of registers; by default the CPU of the record'),
  form: oneOf('FORM', `how memory is read: ${WATCH_FORMS.join(', ')}; by default as the type says`, WATCH_FORMS),
  endian: oneOf('ORDER', 'byte order of memory: little or big; by default that of the image or the trace', ENDIANS),
} as const;

export const WATCHED_NOTE =
  'Values follow from the records alone. Unknown bytes are `??`, an unknown register is `?`; the bytes of an image count as unknown.';

export interface Watched {
  readonly subject: WatchSubject;
  /** `r0`, `0x1000-0x1003`, `main::count`. */
  readonly name: string;
  readonly type?: string;
  /** Undefined for a register, whose contents are its value. */
  readonly reading?: Reading;
}

/** Resolves all options; `at` is the record whose CPU has the registers. Prints notes about the debug information of variables. */
export async function watchedOf(
  context: Context,
  trace: OpenTrace,
  given: Values<typeof WATCHED>,
  at: RecordNumber,
): Promise<Result<readonly Watched[]>> {
  const { register = [], address = [], variable = [] } = given;
  if (register.length + address.length + variable.length === 0)
    return missing(context, 'give at least one of --register, --address and --variable');
  if (variable.length > 0 && (context.common.image ?? []).length === 0)
    return missing(context, '--variable needs the program; give it with --image FILE');
  const all: Watched[] = [];
  const cpu = given.cpu === undefined && register.length > 0 ? await cpuOfRecord(trace, at) : ok(given.cpu);
  if (!cpu.ok) return cpu;
  for (const name of register)
    all.push({ name, subject: { register: name, ...(cpu.value !== undefined && { cpu: cpu.value }) } });
  for (const span of address) {
    const found = await memory(context, trace, span, given);
    if (!found.ok) return found;
    all.push(found.value);
  }
  for (const name of variable) {
    const found = await variableNamed(context, trace, name, given, at);
    if (!found.ok) return found;
    all.push(found.value);
  }
  return ok(all);
}

/** Fields that say in JSON what is watched. */
export function identity({ subject: { register, cpu, address, bytes }, name, type }: Watched): object {
  if (register !== undefined) return { register, ...(cpu !== undefined && { cpu }) };
  return { ...(type !== undefined && { variable: name, type }), address, bytes };
}

/** Bytes of a longer value that text output shows. */
const SHOWN_BYTES = 16;

/** The contents as people read them. */
export function shown({ reading }: Watched, contents: Contents): string {
  if (reading === undefined) return contents || '?';
  if (reading.width <= SHOWN_BYTES) return valueText(contents, reading);
  const start = valueText(contents.slice(0, 2 * SHOWN_BYTES), { ...reading, width: SHOWN_BYTES });
  return `${start} ... (${reading.width} bytes)`;
}

/** The contents as JSON: raw, and as a number if all bytes are known and they are a number of the chosen form. */
export function documented({ reading }: Watched, contents: Contents): { readonly contents: string; value?: unknown } {
  if (reading === undefined || knowledgeOf(contents) !== 'known') return { contents };
  const value = reading.form === 'ascii' || reading.width > 8 ? undefined : numberOf(contents, reading);
  if (value === undefined) return { contents };
  if (typeof value === 'number') return { contents, value: Number.isFinite(value) ? value : String(value) };
  if (reading.form === 'hex') return { contents, value: toHex(value) };
  return { contents, value: Number.isSafeInteger(Number(value)) ? Number(value) : String(value) };
}

type How = Pick<Values<typeof WATCHED>, 'form' | 'endian'>;

async function memory(context: Context, trace: OpenTrace, typed: TypedSpan, how: How): Promise<Result<Watched>> {
  const span = await spanOf(context, trace, typed);
  if (!span.ok) return span;
  const { low, high } = span.value;
  const bytes = BigInt(high) - BigInt(low) + 1n;
  const name = low === high ? low : `${low}-${high}`;
  if (bytes > WATCH_BYTES_MOST)
    return missing(context, `${name} has ${String(bytes)} bytes; at most ${WATCH_BYTES_MOST} are watched as one value`);
  const order = trace.opened.format.options['endian'] === 'big' ? 'big' : 'little';
  const reading = readingOf(how, 'hex', order, Number(bytes));
  const subject = { address: low, bytes: Number(bytes) };
  return reading.ok
    ? ok({ name, subject, reading: reading.value })
    : missing(context, `${name} ${reading.error.message}`);
}

async function variableNamed(
  context: Context,
  trace: OpenTrace,
  name: string,
  how: How,
  at: RecordNumber,
): Promise<Result<Watched>> {
  const answer = await trace.request('variable', { trace: trace.id, name, at });
  if (!answer.ok) return answer;
  for (const note of answer.value.notes) context.notify(note);
  const { variable, whole, followed } = answer.value;
  if (variable === null)
    return fail('no-such-variable', `no image has a variable '${whole}'${await similar(trace, whole)}`);
  const { address, bytes, type, endian, root, types, field } = variable;
  if (followed.length > 0) {
    const pointers = followed.map(({ pointer, value }) => `${pointer} is ${value}`).join(', ');
    context.notify(`${name} is at ${address}, because after record ${group(at)} ${pointers}`);
  }
  if (bytes < 1 || bytes > WATCH_BYTES_MOST)
    return missing(
      context,
      `${name} (${type}) has ${bytes} bytes; give 1 to ${WATCH_BYTES_MOST} of them with --address, starting at ${address}`,
    );
  const form = bytes > 8 ? 'hex' : formOf(types[root]);
  const reading = readingOf(how, form, endian, bytes);
  if (!reading.ok) return missing(context, `${name} ${reading.error.message}`);
  return ok({
    name: variable.name,
    type: field === undefined ? type : `${type} : ${field.bits}`,
    subject: { address, bytes, ...(field && { mask: maskOf(field, endian) }) },
    reading: { ...reading.value, ...(field && { shift: field.shift, bits: field.bits }) },
  });
}

const LISTED = 4;

/** Returns `; similar: ...`, or an empty text if there are none. */
async function similar(trace: OpenTrace, text: string): Promise<string> {
  const found = await trace.request('variables', { trace: trace.id, text, most: LISTED });
  const names = found.ok ? found.value.variables.map((variable) => variable.name) : [];
  return names.length === 0 ? '' : `; similar: ${names.join(', ')}`;
}

function readingOf({ form, endian }: How, ownForm: WatchForm, ownOrder: Endian, width: number): Result<Reading> {
  const reading = { form: form ?? ownForm, endian: endian ?? ownOrder, width };
  if (form === 'float' && width !== 4 && width !== 8)
    return fail('usage', `has ${width} bytes, but a floating-point number has 4 or 8`);
  if ((form === 'signed' || form === 'unsigned') && width > 8)
    return fail('usage', `has ${width} bytes, but a number has at most 8`);
  return ok(reading);
}

async function cpuOfRecord(trace: OpenTrace, at: RecordNumber): Promise<Result<number | undefined>> {
  const answer = await trace.request('records', { trace: trace.id, from: at, count: 1 });
  return answer.ok ? ok(answer.value.records[0]?.cpu) : answer;
}
