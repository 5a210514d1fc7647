/**
 * Effects of general instructions of x86. Capstone decodes the operands; what an instruction does with them is here, by its mnemonic.
 * Flags that the architecture leaves undefined count as computed from the operands. Modes of the processor are no sources.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (each instruction) and appendix A of volume 1 (flags).
 */
import { conditionally, createDraft, extend, receive, register, registers, setConstant, type Draft } from '../draft.ts';
import { isMemory, type FlowKind, type Place } from '../effects.ts';
import type { RawCapstone } from '../raw-capstone.ts';
import { span, type RegisterFile, type RegisterSpan } from '../register-file.ts';
import {
  addressBytesOf,
  clearUpper,
  define,
  defineCopy,
  isResized,
  operandsOf,
  placeOf,
  repeatsOf,
  setFlags,
  sourcesOf,
  type Context,
  type Handler,
  type Operand,
} from './x86-context.ts';
import {
  AF,
  ARITHMETIC,
  AX,
  BX,
  CF,
  CX,
  DF,
  DX,
  LOWEST,
  OF,
  OF_RESULT,
  PF,
  SF,
  SYSTEM_FLAGS,
  VECTOR_BYTES,
  WITHOUT_CARRY,
  ZF,
  FLOAT_STACK,
  FLOAT_STATUS,
  flagsOf,
  general,
  isFlag,
  isGeneral,
  isVector,
} from './x86-registers.ts';
import { STACK_HANDLERS } from './x86-stack.ts';
import { STRING_HANDLERS, hasStrings } from './x86-strings.ts';
import { vectorHandler } from './x86-vectors.ts';

const PREFIX = /^(?:(?:lock|rep|repe|repne|repz|repnz|xacquire|xrelease|notrack|bnd|data16) )+/;

/** Returns the effects of the instruction that Capstone read last; undefined if it is not modelled. */
export function decodeX86(
  raw: RawCapstone,
  text: string,
  size: number,
  file: RegisterFile,
  mode: 16 | 32 | 64,
): Draft | undefined {
  const { mnemonic, handler, isString } = instructionOf(text);
  const operands = operandsOf(raw, file, mode, size);
  if (operands === undefined) return undefined;
  const draft = createDraft();
  const context: Context = {
    draft,
    mnemonic,
    operands,
    mode,
    addressBytes: addressBytesOf(raw),
    repeats: repeatsOf(raw),
    isResized: isResized(raw),
  };
  const handle = isString && hasStrings(context) ? STRING_HANDLERS.get(mnemonic) : handler;
  return handle?.(context) === true ? draft : undefined;
}

interface Instruction {
  readonly mnemonic: string;
  readonly handler: Handler | undefined;
  /** True if it is a string instruction, depending on its operands. */
  readonly isString: boolean;
}

/** Instructions by their mnemonics with prefixes. */
const INSTRUCTIONS = new Map<string, Instruction>();

function instructionOf(text: string): Instruction {
  const known = INSTRUCTIONS.get(text);
  if (known !== undefined) return known;
  const mnemonic = text.replace(PREFIX, '');
  const instruction = { mnemonic, handler: handlerOf(mnemonic), isString: STRING_HANDLERS.has(mnemonic) };
  INSTRUCTIONS.set(text, instruction);
  return instruction;
}

/**
 * Corrects what Capstone names for an instruction that is not modelled: it counts the whole register of flags as written, and the lower half
 * of a register where the upper half is cleared. Of x87 it names the position in the stack.
 */
export function complementX86(draft: Draft, read: readonly Place[], opcode: Uint8Array, mode: 16 | 32 | 64): void {
  if (isX87(opcode, mode)) {
    draft.definitions = draft.definitions.filter(({ to }) => isMemory(to) || !isFloat(to.register));
    for (const at of [FLOAT_STACK, FLOAT_STATUS])
      draft.definitions.push({
        to: register(at),
        from: [...read, register(FLOAT_STACK), register(at)],
        how: 'computed',
        conditional: true,
      });
  }
  const flags = register(ARITHMETIC);
  const others = draft.definitions.filter(({ to }) => isMemory(to) || !isFlag(to.register));
  const writesFlags = others.length < draft.definitions.length;
  const clearsVectors = VECTOR_PREFIXES.has(opcode[0] ?? 0);
  draft.definitions = others.map((each) => {
    if (isMemory(each.to)) return each;
    const { low, bytes } = each.to.register;
    const isLowerHalf = mode === 64 && isGeneral(each.to.register) && bytes === 4;
    if (isLowerHalf) return { ...each, to: register(span(low, 8)) };
    return clearsVectors && isVector(each.to.register) ? { ...each, to: register(span(low, VECTOR_BYTES)) } : each;
  });
  if (writesFlags) draft.definitions.push({ to: flags, from: [...read, flags], how: 'computed', conditional: true });
}

function isFloat({ low }: RegisterSpan): boolean {
  return low >= FLOAT_STACK.low && low < FLOAT_STATUS.low + FLOAT_STATUS.bytes;
}

/** True for an instruction of x87. Which of its registers it changes depends on the state of its stack. */
function isX87(opcode: Uint8Array, mode: 16 | 32 | 64): boolean {
  const first = opcode.find((byte) => !LEGACY_PREFIXES.has(byte) && !(mode === 64 && byte >> 4 === 4));
  return first !== undefined && first >> 3 === 0x1b;
}

/** VEX and EVEX: their instructions clear the bytes above the result. */
const VECTOR_PREFIXES: ReadonlySet<number> = new Set([0x62, 0xc4, 0xc5]);
const LEGACY_PREFIXES: ReadonlySet<number> = new Set([
  0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3,
]);

function handlerOf(mnemonic: string): Handler | undefined {
  return (
    HANDLERS.get(mnemonic) ?? STACK_HANDLERS.get(mnemonic) ?? conditionHandler(mnemonic) ?? vectorHandler(mnemonic)
  );
}

function conditionHandler(mnemonic: string): Handler | undefined {
  const [, name, condition = ''] = /^(j|set|cmov)([a-z]+)$/.exec(mnemonic) ?? [];
  const flags = flagsOf(condition);
  if (flags === undefined) return undefined;
  if (name === 'j') return branchOn(flags);
  return name === 'set' ? setOn(flags) : moveOn(flags);
}

function branchOn(flags: readonly RegisterSpan[]): Handler {
  return ({ draft }) => {
    draft.flow = 'conditional';
    draft.decides = registers(flags);
    return true;
  };
}

function setOn(flags: readonly RegisterSpan[]): Handler {
  return (context) => {
    define(context, placeOf(context, context.operands[0]!, 'write')!, registers(flags));
    return true;
  };
}

/** A conditional move clears the upper half of its target even if it moves nothing. */
function moveOn(flags: readonly RegisterSpan[]): Handler {
  return (context) => {
    const [to, from] = context.operands as [Operand, Operand];
    const target = placeOf(context, to, 'write')!;
    const source = placeOf(context, from, 'read')!;
    context.draft.definitions.push(
      conditionally({ to: target, from: [source], how: 'copy', conditional: true }, registers(flags)),
    );
    clearUpper(context, target);
    return true;
  };
}

/** True if both operands are the same register. */
function isSame([first, second]: readonly Operand[]): boolean {
  return (
    first?.kind === 'register' &&
    second?.kind === 'register' &&
    first.at.low === second.at.low &&
    first.at.bytes === second.at.bytes
  );
}

const move: Handler = (context) => {
  const [to, from] = context.operands as [Operand, Operand];
  const source = placeOf(context, from, 'read');
  const target = placeOf(context, to, 'write')!;
  if (source === undefined) define(context, target, []);
  else if (to.bytes === from.bytes) defineCopy(context, target, source);
  else return moveSegment(context, target, source);
  return true;
};

/** Moves of segment registers, which have two bytes, to and from wider registers. */
function moveSegment(context: Context, target: Place, source: Place): boolean {
  if (isMemory(target) || isMemory(source)) return false;
  const bytes = Math.min(target.register.bytes, source.register.bytes);
  extend(context.draft, target.register, register(span(source.register.low, bytes)), bytes, false);
  clearUpper(context, target);
  return true;
}

function moveExtended(signed: boolean): Handler {
  return (context) => {
    const [to, from] = context.operands as [Operand, Operand];
    const source = placeOf(context, from, 'read')!;
    if (to.kind !== 'register') return false;
    extend(context.draft, to.at, source, from.bytes, signed);
    clearUpper(context, register(to.at));
    return true;
  };
}

const loadAddress: Handler = (context) => {
  const [to, from] = context.operands as [Operand, Operand];
  if (from.kind !== 'memory') return false;
  define(context, placeOf(context, to, 'write')!, registers(from.address));
  return true;
};

interface Arithmetic {
  /** Reads the carry flag. */
  readonly carry?: boolean;
  /** Leaves the first operand alone. */
  readonly compares?: boolean;
  /** Clears CF and OF. */
  readonly logical?: boolean;
  /** Gives the same result for any register with itself. */
  readonly cancels?: boolean;
  /** An immediate that decides the result. */
  readonly dominant?: bigint;
}

function arithmetic({
  carry = false,
  compares = false,
  logical = false,
  cancels = false,
  dominant,
}: Arithmetic): Handler {
  return (context) => {
    const [to, from] = context.operands as [Operand, Operand];
    const target = placeOf(context, to, compares ? 'read' : 'both')!;
    const second = sourcesOf(context, from);
    const isDominated =
      from.kind === 'immediate' && dominant !== undefined && BigInt.asIntN(8 * to.bytes, from.value) === dominant;
    const isIdentity = isSame(context.operands);
    const operands = (cancels && isIdentity) || isDominated ? [] : isIdentity ? [target] : [target, ...second];
    const sources = [...operands, ...(carry ? [register(CF)] : [])];
    if (!compares) define(context, target, sources);
    if (logical) {
      setConstant(context.draft, CF);
      setFlags(context, OF_RESULT, sources);
      setConstant(context.draft, OF);
    } else setFlags(context, ARITHMETIC, sources);
    return true;
  };
}

/** Instructions of one operand. */
function unary(flags: RegisterSpan | undefined): Handler {
  return (context) => {
    const target = placeOf(context, context.operands[0]!, 'both')!;
    define(context, target, [target]);
    if (flags !== undefined) setFlags(context, flags, [target]);
    return true;
  };
}

/** Shifts and rotations: a count of 0 leaves the flags alone. Rotations set CF and OF only. */
function shift(kind: 'shift' | 'rotate' | 'rotate-carry'): Handler {
  return (context) => {
    const [to, count] = context.operands;
    const target = placeOf(context, to!, 'both')!;
    const amount = count === undefined ? [] : sourcesOf(context, count);
    const steps = count?.kind === 'immediate' ? Number(count.value) & (to!.bytes === 8 ? 63 : 31) : 1;
    const sources = [target, ...amount, ...(kind === 'rotate-carry' ? [register(CF)] : [])];
    define(context, target, sources);
    if (steps === 0) return true;
    // A rotation of 9 or 17 bits by as many leaves all as it is.
    const rotatesBack = kind === 'rotate-carry' && to!.bytes < 4;
    for (const flags of kind === 'shift' ? [ARITHMETIC] : [CF, OF])
      flagsByCount(context, flags, sources, amount.length > 0 || rotatesBack);
    return true;
  };
}

function flagsByCount({ draft }: Context, flags: RegisterSpan, sources: readonly Place[], byRegister: boolean): void {
  const to = register(flags);
  if (!byRegister) draft.definitions.push({ to, from: sources, how: 'computed', conditional: false });
  else draft.definitions.push({ to, from: [...sources, to], how: 'computed', conditional: true });
}

const doubleShift: Handler = (context) => {
  const [to, from, count] = context.operands as [Operand, Operand, Operand];
  const target = placeOf(context, to, 'both')!;
  const amount = sourcesOf(context, count);
  const sources = [target, ...sourcesOf(context, from), ...amount];
  define(context, target, sources);
  flagsByCount(context, ARITHMETIC, sources, true);
  return true;
};

/** MUL, IMUL, DIV and IDIV of one operand: the accumulator and its upper half. */
function wide(divides: boolean): Handler {
  return (context) => {
    const { operands } = context;
    const [operand] = operands as [Operand];
    if (operands.length > 1) return multiply(context);
    const { bytes } = operand;
    const factor = sourcesOf(context, operand);
    if (bytes === 1) {
      const from = [...factor, register(general(AX, divides ? 2 : 1))];
      define(context, register(general(AX, 2)), from);
      setWideFlags(context, divides, from);
      return true;
    }
    const halves = [register(general(AX, bytes)), register(general(DX, bytes))];
    const from = [...factor, ...(divides ? halves : halves.slice(0, 1))];
    for (const to of halves) define(context, to, from);
    setWideFlags(context, divides, from);
    return true;
  };
}

/** Defines flags that the architecture leaves undefined: a processor may leave them as they are. */
function leaveUndefined({ draft }: Context, flags: RegisterSpan, from: readonly Place[]): void {
  draft.definitions.push({ to: register(flags), from: [...from, register(flags)], how: 'computed', conditional: true });
}

/** A multiplication defines CF and OF, a division no flag. */
function setWideFlags(context: Context, divides: boolean, from: readonly Place[]): void {
  if (divides) {
    leaveUndefined(context, ARITHMETIC, from);
    return;
  }
  setFlags(context, CF, from);
  leaveUndefined(context, OF_RESULT, from);
  setFlags(context, OF, from);
}

function multiply(context: Context): boolean {
  const [to, from, by] = context.operands as [Operand, Operand, Operand | undefined];
  const target = placeOf(context, to, 'write')!;
  const sources = sourcesOf(context, from);
  if (by === undefined && !isSame(context.operands)) sources.unshift(target);
  define(context, target, sources);
  setWideFlags(context, false, sources);
  return true;
}

/** Sign extensions within the accumulator: its upper half becomes the sign of the lower one. */
function widenAccumulator(bytes: number): Handler {
  return (context) => {
    const half = bytes / 2;
    setFlags(context, span(half, half), [register(general(AX, half))]);
    clearUpper(context, register(general(AX, bytes)));
    return true;
  };
}

function signOfAccumulator(bytes: number): Handler {
  return (context) => {
    define(context, register(general(DX, bytes)), [register(general(AX, bytes))]);
    return true;
  };
}

/** BT and its kin. A bit of memory that a register numbers can be anywhere. */
function testBit(changes: boolean): Handler {
  return (context) => {
    const [to, by] = context.operands as [Operand, Operand];
    if (to.kind === 'memory' && by.kind === 'register') return false;
    const target = placeOf(context, to, changes ? 'both' : 'read')!;
    const sources = [target, ...sourcesOf(context, by)];
    if (changes) define(context, target, sources);
    setFlags(context, CF, sources);
    for (const flags of [span(PF.low, 2), span(SF.low, 2)]) leaveUndefined(context, flags, sources);
    return true;
  };
}

/** BSF and BSR leave the target alone if there is no bit. */
const scanBits: Handler = (context) => {
  const [to, from] = context.operands as [Operand, Operand];
  const target = placeOf(context, to, 'write')!;
  const sources = sourcesOf(context, from);
  context.draft.definitions.push({ to: target, from: [...sources, target], how: 'computed', conditional: true });
  clearUpperMaybe(context, target, sources);
  for (const flags of [span(CF.low, 3), span(SF.low, 2)]) leaveUndefined(context, flags, sources);
  setFlags(context, ZF, sources);
  return true;
};

function clearUpperMaybe({ draft, mode }: Context, to: Place, deciding: readonly Place[]): void {
  if (mode !== 64 || isMemory(to) || to.register.bytes !== 4) return;
  const upper = register(span(to.register.low + 4, 4));
  draft.definitions.push({ to: upper, from: [upper, ...deciding], how: 'constant', conditional: true });
}

const countBits: Handler = (context) => {
  const [to, from] = context.operands as [Operand, Operand];
  const sources = sourcesOf(context, from);
  define(context, placeOf(context, to, 'write')!, sources);
  setFlags(context, ARITHMETIC, sources);
  return true;
};

const exchange: Handler = (context) => {
  const [first, second] = context.operands as [Operand, Operand];
  const [a, b] = [placeOf(context, first, 'both')!, placeOf(context, second, 'both')!];
  if (isSame(context.operands)) return true;
  defineCopy(context, a, b);
  defineCopy(context, b, a);
  return true;
};

const exchangeAndAdd: Handler = (context) => {
  const [to, from] = context.operands as [Operand, Operand];
  const [target, source] = [placeOf(context, to, 'both')!, placeOf(context, from, 'both')!];
  const sources = [target, source];
  if (!isSame(context.operands)) defineCopy(context, source, target);
  define(context, target, sources);
  setFlags(context, ARITHMETIC, sources);
  return true;
};

/** CMPXCHG: either the target receives the source, or the accumulator receives the target. */
const compareAndExchange: Handler = (context) => {
  const [to, from] = context.operands as [Operand, Operand];
  const target = placeOf(context, to, 'both')!;
  const source = placeOf(context, from, 'read')!;
  const accumulator = register(general(AX, to.bytes));
  const { draft } = context;
  draft.definitions.push(
    { to: target, from: [source, target, accumulator], how: 'copy', conditional: true },
    { to: accumulator, from: [target, accumulator], how: 'copy', conditional: true },
  );
  for (const each of [target, accumulator]) clearUpperMaybe(context, each, [target, accumulator]);
  setFlags(context, ARITHMETIC, [accumulator, target]);
  return true;
};

function flow(kind: FlowKind): Handler {
  return ({ draft }) => {
    draft.flow = kind;
    return true;
  };
}

const jump: Handler = (context) => {
  context.draft.flow = 'branch';
  context.draft.decides = sourcesOf(context, context.operands[0]!);
  return context.operands.length === 1;
};

function branchOnCount(bytes: number): Handler {
  return branchOn([general(CX, bytes)]);
}

/** LOOP counts down; two forms also need a flag. */
function loop(flags: readonly RegisterSpan[]): Handler {
  return (context) => {
    const count = general(CX, context.addressBytes);
    define(context, register(count), [register(count)]);
    context.draft.flow = 'conditional';
    context.draft.decides = registers([count, ...flags]);
    return true;
  };
}

function setConstantFlag(flag: RegisterSpan): Handler {
  return ({ draft }) => {
    setConstant(draft, flag);
    return true;
  };
}

/** Defines registers by others, without operands. */
function fixed(to: readonly RegisterSpan[], from: readonly RegisterSpan[]): Handler {
  return (context) => {
    for (const each of to) define(context, register(each), registers(from));
    return true;
  };
}

/** Defines registers by something outside of registers and memory. */
function outside(to: readonly RegisterSpan[]): Handler {
  return (context) => {
    for (const each of to) {
      receive(context.draft, each);
      clearUpper(context, register(each));
    }
    return true;
  };
}

const input: Handler = (context) => {
  const [to] = context.operands;
  if (to?.kind !== 'register') return false;
  return outside([to.at])(context);
};

const nothing: Handler = () => true;

/** XLAT: a byte of a table that the lowest byte of the accumulator numbers. */
const translate: Handler = (context) => {
  const { mode, addressBytes } = context;
  const index = general(AX, 1);
  const base = general(BX, addressBytes);
  const bits = addressBytes === 8 ? 64 : 32;
  const compute = mode === 16 ? {} : { compute: { base, index, scale: 1, displacement: 0, bits } as const };
  const operand = { kind: 'memory', bytes: 1, address: [base, index], ...compute } as const;
  defineCopy(context, register(index), placeOf(context, operand, 'read')!);
  return true;
};

const LOW = general(AX, 1);
const WORD = general(AX, 2);

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['mov', move],
  ['movabs', move],
  ['movnti', move],
  ['movzx', moveExtended(false)],
  ['movsx', moveExtended(true)],
  ['movsxd', moveExtended(true)],
  ['lea', loadAddress],
  ['add', arithmetic({})],
  ['adc', arithmetic({ carry: true })],
  ['sub', arithmetic({ cancels: true })],
  ['sbb', arithmetic({ carry: true, cancels: true })],
  ['cmp', arithmetic({ compares: true, cancels: true })],
  ['and', arithmetic({ logical: true, dominant: 0n })],
  ['or', arithmetic({ logical: true, dominant: -1n })],
  ['xor', arithmetic({ logical: true, cancels: true })],
  ['test', arithmetic({ logical: true, compares: true, dominant: 0n })],
  ['inc', unary(WITHOUT_CARRY)],
  ['dec', unary(WITHOUT_CARRY)],
  ['neg', unary(ARITHMETIC)],
  ['not', unary(undefined)],
  ['bswap', unary(undefined)],
  ['shl', shift('shift')],
  ['sal', shift('shift')],
  ['shr', shift('shift')],
  ['sar', shift('shift')],
  ['rol', shift('rotate')],
  ['ror', shift('rotate')],
  ['rcl', shift('rotate-carry')],
  ['rcr', shift('rotate-carry')],
  ['shld', doubleShift],
  ['shrd', doubleShift],
  ['mul', wide(false)],
  ['imul', wide(false)],
  ['div', wide(true)],
  ['idiv', wide(true)],
  ['cbw', widenAccumulator(2)],
  ['cwde', widenAccumulator(4)],
  ['cdqe', widenAccumulator(8)],
  ['cwd', signOfAccumulator(2)],
  ['cdq', signOfAccumulator(4)],
  ['cqo', signOfAccumulator(8)],
  ['bt', testBit(false)],
  ['bts', testBit(true)],
  ['btr', testBit(true)],
  ['btc', testBit(true)],
  ['bsf', scanBits],
  ['bsr', scanBits],
  ['lzcnt', countBits],
  ['tzcnt', countBits],
  ['popcnt', countBits],
  ['xchg', exchange],
  ['xadd', exchangeAndAdd],
  ['cmpxchg', compareAndExchange],
  ['jmp', jump],
  ['jcxz', branchOnCount(2)],
  ['jecxz', branchOnCount(4)],
  ['jrcxz', branchOnCount(8)],
  ['loop', loop([])],
  ['loope', loop([ZF])],
  ['loopne', loop([ZF])],
  ['clc', setConstantFlag(CF)],
  ['stc', setConstantFlag(CF)],
  ['cmc', fixed([CF], [CF])],
  ['cld', setConstantFlag(DF)],
  ['std', setConstantFlag(DF)],
  ['cli', fixed([SYSTEM_FLAGS], [SYSTEM_FLAGS])],
  ['sti', fixed([SYSTEM_FLAGS], [SYSTEM_FLAGS])],
  ['lahf', fixed([span(LOW.low + 1, 1)], [LOWEST])],
  ['sahf', fixed([LOWEST], [span(LOW.low + 1, 1)])],
  ['salc', fixed([LOW], [CF])],
  ['daa', fixed([LOW, ARITHMETIC], [LOW, AF, CF])],
  ['das', fixed([LOW, ARITHMETIC], [LOW, AF, CF])],
  ['aaa', fixed([WORD, ARITHMETIC], [WORD, AF])],
  ['aas', fixed([WORD, ARITHMETIC], [WORD, AF])],
  ['aam', fixed([WORD, ARITHMETIC], [LOW])],
  ['aad', fixed([WORD, ARITHMETIC], [WORD])],
  [
    'cpuid',
    fixed(
      [AX, BX, CX, DX].map((n) => general(n, 4)),
      [general(AX, 4), general(CX, 4)],
    ),
  ],
  ['rdtsc', outside([general(AX, 4), general(DX, 4)])],
  ['in', input],
  ['out', nothing],
  ['xlatb', translate],
  ['int', flow('trap')],
  ['int1', flow('trap')],
  ['int3', flow('trap')],
  ['into', flow('trap')],
  ['ud2', flow('trap')],
  ...[
    'nop',
    'pause',
    'hlt',
    'wait',
    'mfence',
    'lfence',
    'sfence',
    'endbr32',
    'endbr64',
    'clflush',
    'invlpg',
    'wbinvd',
    'prefetch',
    'prefetchw',
    'prefetchnta',
    'prefetcht0',
    'prefetcht1',
    'prefetcht2',
  ].map((name): [string, Handler] => [name, nothing]),
]);
