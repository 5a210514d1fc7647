/** Finds variables with fixed addresses, and describes their types. Debug information is read when it is needed for the first time. */
import type { Answer, Arguments, ImageProgress } from '../../../../shared/requests/requests.ts';
import type { DataType, NamedVariable, TypeId } from '../../../../shared/requests/variables.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import type { DebugVariable, DebugVariables } from '../../image/elf/dwarf-types.ts';
import type { Image } from '../../image/image.ts';
import { readVariablesOf } from '../../image/read-images.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';

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
  { name }: Omit<Arguments<'variable'>, 'trace'>,
  task: Task<ImageProgress>,
): Promise<Result<Answer<'variable'>>> {
  const notes: string[] = [];
  for (const image of imagesWithTypes(trace)) {
    const read = await variablesIn(image, task);
    if (!read.ok) return read;
    notes.push(...notesOf(image, read.value));
    const found = read.value.variables.find((one) => one.name === name);
    if (found === undefined) continue;
    const endian = image.machine?.littleEndian === false ? 'big' : 'little';
    const types = reachable(read.value.types, found.type);
    return ok({ variable: { ...namedVariable(image, found), endian, root: found.type, types }, notes });
  }
  return ok({ variable: null, notes });
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
