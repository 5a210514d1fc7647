/** Finds variables with fixed addresses, and describes their types. Debug information is read when it is needed for the first time. */
import type { Answer, Arguments, ImageProgress } from '../../../../shared/requests/requests.ts';
import type { DataType, NamedVariable, TypeId } from '../../../../shared/requests/variables.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { KNOWN } from '../../../../shared/requests/records.ts';
import {
  followPath,
  NO_PART,
  parseVariablePath,
  type ReadPointer,
} from '../../../../shared/requests/places/variable-path.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import type { DebugVariable, DebugVariables } from '../../image/elf/dwarf-types.ts';
import type { Image } from '../../image/image.ts';
import { readVariablesOf } from '../../image/read-images.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { memory } from '../memory/memory.ts';

/** Types that are sent with a variable: more would make the answer too large. */
const MOST_TYPES = 2000;

/** Images share a result if one program is at several places. */
const known = new WeakMap<Image['digest'], DebugVariables>();

async function variablesIn(image: Image, task: Task<ImageProgress>): Promise<Result<DebugVariables>> {
  const read = known.get(image.digest);
  if (read !== undefined) return ok(read);
  const found = await readVariablesOf(image, task);
  if (found.ok) known.set(image.digest, found.value);
  return found;
}

export async function variables(
  trace: Trace,
  { text, most }: Omit<Arguments<'variables'>, 'trace'>,
  task: Task<ImageProgress>,
): Promise<Result<Answer<'variables'>>> {
  const wanted = text.toLowerCase();
  const found: NamedVariable[] = [];
  const notes: string[] = [];
  for (const image of imagesWithTypes(trace)) {
    const read = await variablesIn(image, task);
    if (!read.ok) return read;
    notes.push(...notesOf(image, read.value));
    for (const variable of read.value.variables)
      if (variable.name.toLowerCase().includes(wanted)) found.push(namedVariable(image, variable));
  }
  found.sort((a, b) => rank(a, wanted) - rank(b, wanted) || a.name.length - b.name.length || compare(a, b));
  return ok({ variables: found.slice(0, most), left: Math.max(0, found.length - most), notes });
}

export async function variable(
  trace: Trace,
  { name, at }: Omit<Arguments<'variable'>, 'trace'>,
  task: Task<ImageProgress>,
): Promise<Result<Answer<'variable'>>> {
  const notes: string[] = [];
  let whole = name;
  for (const image of imagesWithTypes(trace)) {
    const read = await variablesIn(image, task);
    if (!read.ok) return read;
    notes.push(...notesOf(image, read.value));
    const { variables: all, types } = read.value;
    const byName = new Map(all.map((one) => [one.name, one]));
    const path = parseVariablePath(name, (its) => byName.has(its));
    if (path === undefined) continue;
    whole = path.variable;
    const found = byName.get(whole);
    if (found === undefined) continue;
    const endian = image.machine?.littleEndian === false ? 'big' : 'little';
    const own = namedVariable(image, found);
    const followed: Followed[] = [];
    const start = { type: found.type, address: BigInt(own.address) };
    const part = await followPath(types, start, path, pointersAt(trace, at, endian, followed, withoutProgress(task)));
    if (!part.ok) return part;
    const { type, address, field } = part.value;
    const described = types[type];
    const its = path.steps.length === 0 ? own : { name, address: toHex(address), ...typeOf(described) };
    const bytes = field?.bytes ?? its.bytes;
    return ok({
      variable: { ...its, bytes, endian, root: type, types: reachable(types, type), ...(field && { field }) },
      whole,
      followed,
      notes,
    });
  }
  return ok({ variable: null, whole, followed: [], notes });
}

type Followed = Answer<'variable'>['followed'][number];

function typeOf(type: DataType | undefined): { readonly type: string; readonly bytes: number } {
  return { type: type?.name ?? 'unknown type', bytes: type?.bytes ?? 0 };
}

/** Reads pointers as the records show them, and adds them to `followed`. */
function pointersAt(
  trace: Trace,
  at: RecordNumber | undefined,
  endian: 'little' | 'big',
  followed: Followed[],
  task: Task<unknown>,
): ReadPointer {
  return async (address, length, name) => {
    if (at === undefined) return fail(NO_PART, `${name} is a pointer, whose value depends on the record`);
    if (length < 1 || length > 8)
      return fail(NO_PART, `${name} is a pointer of ${length} bytes, which cannot be followed`);
    const shown = await memory(trace, { at, address: toHex(address), length }, task);
    if (!shown.ok) return shown;
    const { bytes, known } = shown.value;
    const where = `after record ${group(at)}`;
    if (known.includes(KNOWN.not))
      return fail(
        NO_PART,
        `${name} points to an unknown address ${where}: no record up to it shows all bytes of ${name}`,
      );
    const ordered = endian === 'big' ? bytes : bytes.toReversed();
    const value = ordered.reduce((all, byte) => all * 256n + BigInt(byte), 0n);
    if (value === 0n) return fail(NO_PART, `${name} is a null pointer ${where}`);
    followed.push({ pointer: name, value: toHex(value) });
    return ok(value);
  };
}

function imagesWithTypes({ images }: Trace): readonly Image[] {
  return images.list.filter(({ form }) => form === 'elf');
}

function namedVariable({ shift }: Image, { name, address, typeName, bytes }: DebugVariable): NamedVariable {
  return { name, address: toHex(BigInt.asUintN(64, address + shift)), type: typeName, bytes };
}

function notesOf({ path }: Image, { variables: all, moving, problems }: DebugVariables): readonly string[] {
  return [
    ...problems.map((problem) => `${path}: ${problem}`),
    ...(all.length === 0 && moving === 0 && problems.length === 0
      ? [`${path} has no debug information about variables.`]
      : []),
    ...(moving === 0
      ? []
      : [
          `Local variables and parameters of ${path} are left out (${moving}): they are in registers or stack frames that change.`,
        ]),
  ];
}

function rank({ name }: NamedVariable, wanted: string): number {
  const own = name.toLowerCase();
  if (own === wanted || own.endsWith(`::${wanted}`)) return 0;
  return own.startsWith(wanted) ? 1 : 2;
}

function compare(a: NamedVariable, b: NamedVariable): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Returns the types that a type refers to, nearest first. */
function reachable(types: readonly DataType[], root: TypeId): Record<TypeId, DataType> {
  const found: Record<TypeId, DataType> = {};
  const waiting: TypeId[] = [root];
  const seen = new Set(waiting);
  for (let i = 0; i < waiting.length && i < MOST_TYPES; i++) {
    const type = types[waiting[i]!];
    if (type === undefined) continue;
    found[waiting[i]!] = type;
    for (const next of targetsOf(type)) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return found;
}

function targetsOf(type: DataType): readonly TypeId[] {
  if (type.kind === 'pointer') return type.target === null ? [] : [type.target];
  if (type.kind === 'array') return [type.element];
  return type.kind === 'structure' ? type.members.map((member) => member.type) : [];
}
