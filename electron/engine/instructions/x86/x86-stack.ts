/** Instructions of x86 that use the stack: pushes, pops, calls, returns and frames. */
import { computeFrom, copy, partOf, register, registers, setConstant } from '../draft.ts';
import type { Place } from '../effects.ts';
import {
  accessStack,
  defineCopy,
  define,
  moveStack,
  placeOf,
  sourcesOf,
  stackBytes,
  stackPointer,
  type Context,
  type Handler,
  type Operand,
} from './x86-context.ts';
import { ALL_FLAGS, BP, CX, general, SP } from './x86-registers.ts';

function put(context: Context, to: Place, from: Place | undefined): void {
  if (from === undefined) computeFrom(context.draft, to, []);
  else copy(context.draft, to, from);
}

/** Bytes that a push or pop moves: two with the prefix for the operand size. */
function pushedBytes(context: Context, operand: Operand): number {
  return operand.kind === 'immediate' || operand.bytes === 2
    ? operand.bytes === 2
      ? 2
      : stackBytes(context)
    : operand.bytes;
}

const push: Handler = (context) => {
  const [operand] = context.operands as [Operand];
  const bytes = pushedBytes(context, operand);
  if (operand.kind !== 'immediate' && operand.bytes !== bytes) return false;
  // A segment register is narrower than what it occupies.
  if (operand.kind === 'register' && operand.at.bytes !== bytes) return false;
  const from = placeOf(context, operand, 'read');
  put(context, accessStack(context, 'write', bytes, -bytes), from);
  moveStack(context);
  return true;
};

/** The address of a target in memory is formed after the stack pointer has moved. */
const pop: Handler = (context) => {
  const [operand] = context.operands as [Operand];
  const { bytes } = operand;
  if (operand.kind === 'register' && operand.at.bytes !== bytes) return false;
  const from = accessStack(context, 'read', bytes, 0);
  const isPointer = operand.kind === 'register' && operand.at.low === stackPointer(context).low;
  let target = operand;
  if (operand.kind === 'memory' && operand.compute?.base?.low === stackPointer(context).low) {
    const { compute } = operand;
    target = { ...operand, compute: { ...compute, displacement: compute.displacement + bytes } };
  }
  defineCopy(context, placeOf(context, target, 'write')!, from);
  if (!isPointer) moveStack(context);
  return true;
};

const call: Handler = (context) => {
  const [operand] = context.operands as [Operand];
  if (context.operands.length !== 1 || context.isResized) return false;
  const bytes = stackBytes(context);
  if (operand.kind !== 'immediate' && operand.bytes !== bytes) return false;
  context.draft.flow = 'call';
  context.draft.decides = sourcesOf(context, operand);
  put(context, accessStack(context, 'write', bytes, -bytes), undefined);
  moveStack(context);
  return true;
};

const returnNear: Handler = (context) => {
  context.draft.flow = 'return';
  context.draft.decides = [accessStack(context, 'read', stackBytes(context), 0)];
  moveStack(context);
  return !context.isResized;
};

function pushFlags(bytes: number): Handler {
  return (context) => {
    computeFrom(context.draft, accessStack(context, 'write', bytes, -bytes), [register(ALL_FLAGS)]);
    moveStack(context);
    return true;
  };
}

function popFlags(bytes: number): Handler {
  return (context) => {
    computeFrom(context.draft, register(ALL_FLAGS), [accessStack(context, 'read', bytes, 0)]);
    moveStack(context);
    return true;
  };
}

/** All general registers from the accumulator to DI, of which the first is at the highest address. */
function pushAll(bytes: number): Handler {
  return (context) => {
    const place = accessStack(context, 'write', 8 * bytes, -8 * bytes);
    for (let n = 0; n < 8; n++) copy(context.draft, partOf(place, bytes * (7 - n), bytes), register(general(n, bytes)));
    moveStack(context);
    return true;
  };
}

function popAll(bytes: number): Handler {
  return (context) => {
    const place = accessStack(context, 'read', 8 * bytes, 0);
    for (let n = 0; n < 8; n++)
      if (n !== SP) copy(context.draft, register(general(n, bytes)), partOf(place, bytes * (7 - n), bytes));
    moveStack(context);
    return true;
  };
}

const leave: Handler = (context) => {
  const bytes = stackBytes(context);
  const frame = general(BP, bytes);
  if (context.mode === 16 || context.isResized) return false;
  const operand = {
    kind: 'memory',
    bytes,
    address: [frame],
    compute: { base: frame, scale: 1, displacement: 0, bits: context.mode },
  } as const;
  define(context, register(stackPointer(context)), [register(frame)]);
  defineCopy(context, register(frame), placeOf(context, operand, 'read')!);
  return true;
};

/** ENTER without nested levels. */
const enter: Handler = (context) => {
  const [, levels] = context.operands;
  if (levels?.kind !== 'immediate' || levels.value !== 0n || context.isResized) return false;
  const bytes = stackBytes(context);
  const frame = general(BP, bytes);
  put(context, accessStack(context, 'write', bytes, -bytes), register(frame));
  define(context, register(frame), [register(stackPointer(context))]);
  moveStack(context);
  return true;
};

/** SYSCALL keeps the return address and the flags in registers. */
const systemCall: Handler = (context) => {
  setConstant(context.draft, general(CX, 8));
  computeFrom(context.draft, register(general(11, 8)), registers([ALL_FLAGS]));
  context.draft.flow = 'trap';
  return context.mode === 64;
};

export const STACK_HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['push', push],
  ['pop', pop],
  ['call', call],
  ['ret', returnNear],
  ['pushf', pushFlags(2)],
  ['pushfd', pushFlags(4)],
  ['pushfq', pushFlags(8)],
  ['popfd', popFlags(4)],
  ['popfq', popFlags(8)],
  ['pushaw', pushAll(2)],
  ['pushal', pushAll(4)],
  ['popaw', popAll(2)],
  ['popal', popAll(4)],
  ['leave', leave],
  ['enter', enter],
  ['syscall', systemCall],
]);
