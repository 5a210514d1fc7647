/**
 * String instructions of x86. With a repeat prefix, the counter decides how much memory they access: the operands have no length, and what
 * they define may stay as it is. A trace that records each repetition has the accesses.
 */
import { access, conditionally, register } from '../draft.ts';
import type { MemoryPlace, Place } from '../effects.ts';
import type { RegisterSpan } from '../register-file.ts';
import { define, defineCopy, setFlags, type Context, type Handler } from './x86-context.ts';
import { ARITHMETIC, AX, CX, DF, DI, SI, general } from './x86-registers.ts';

/** MOVSD and CMPSD are also instructions on vectors; the string instructions have operands in memory only. */
export function hasStrings({ mnemonic, operands }: Context): boolean {
  return !/^(?:mov|cmp)/.test(mnemonic) || operands.every(({ kind }) => kind === 'memory');
}

function pointer({ addressBytes }: Context, n: number): RegisterSpan {
  return general(n, addressBytes);
}

function reference(context: Context, n: number, way: 'read' | 'write', bytes: number): MemoryPlace {
  const base = pointer(context, n);
  const { mode, addressBytes } = context;
  const length = !context.repeats ? bytes : 0;
  if (mode === 16 || context.repeats) return access(context.draft, way, length, [base]);
  const bits = addressBytes === 8 ? 64 : addressBytes === 4 ? 32 : 16;
  return access(context.draft, way, length, [base], { base, scale: 1, displacement: 0, bits });
}

/** Defines the pointers and the counter after the value, and makes all depend on the counter if the instruction repeats. */
function finish(context: Context, pointers: readonly number[]): boolean {
  const count = pointer(context, CX);
  const { draft, repeats } = context;
  const decides: Place[] = repeats ? [register(count)] : [];
  if (repeats) draft.definitions = draft.definitions.map((each) => conditionally(each, decides));
  for (const n of pointers) {
    const at = register(pointer(context, n));
    define(context, at, [at, register(DF), ...decides]);
  }
  if (repeats) define(context, register(count), decides);
  return true;
}

function moveString(bytes: number): Handler {
  return (context) => {
    const from = reference(context, SI, 'read', bytes);
    defineCopy(context, reference(context, DI, 'write', bytes), from);
    return finish(context, [SI, DI]);
  };
}

function storeString(bytes: number): Handler {
  return (context) => {
    const to = reference(context, DI, 'write', bytes);
    if (!context.repeats) defineCopy(context, to, register(general(AX, bytes)));
    else define(context, to, [register(general(AX, bytes))]);
    return finish(context, [DI]);
  };
}

function loadString(bytes: number): Handler {
  return (context) => {
    const from = reference(context, SI, 'read', bytes);
    if (!context.repeats) defineCopy(context, register(general(AX, bytes)), from);
    else define(context, register(general(AX, bytes)), [from]);
    return finish(context, [SI]);
  };
}

/** A comparison that repeats also ends at a difference, which decides its pointers and its counter. */
function compareString(bytes: number, withAccumulator: boolean): Handler {
  return (context) => {
    const first = withAccumulator ? register(general(AX, bytes)) : reference(context, SI, 'read', bytes);
    const sources = [first, reference(context, DI, 'read', bytes)];
    const { draft } = context;
    setFlags(context, ARITHMETIC, sources);
    const before = draft.definitions.length;
    finish(context, withAccumulator ? [DI] : [SI, DI]);
    if (context.repeats)
      draft.definitions = draft.definitions.map((each, k) =>
        k < before ? each : { ...each, from: each.how === 'constant' ? each.from : [...each.from, ...sources] },
      );
    return true;
  };
}

function inputString(bytes: number): Handler {
  return (context) => {
    const to = reference(context, DI, 'write', bytes);
    context.draft.definitions.push({ to, from: [], how: 'computed', conditional: false });
    return finish(context, [DI]);
  };
}

function outputString(bytes: number): Handler {
  return (context) => {
    reference(context, SI, 'read', bytes);
    return finish(context, [SI]);
  };
}

const WIDTHS: readonly (readonly [letter: string, bytes: number])[] = [
  ['b', 1],
  ['w', 2],
  ['d', 4],
  ['q', 8],
];

export const STRING_HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>(
  WIDTHS.flatMap(([letter, bytes]): [string, Handler][] => [
    [`movs${letter}`, moveString(bytes)],
    [`stos${letter}`, storeString(bytes)],
    [`lods${letter}`, loadString(bytes)],
    [`scas${letter}`, compareString(bytes, true)],
    [`cmps${letter}`, compareString(bytes, false)],
    [`ins${letter}`, inputString(bytes)],
    [`outs${letter}`, outputString(bytes)],
  ]),
);
