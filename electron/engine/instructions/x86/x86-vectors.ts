/**
 * Vector instructions of x86 in the encoding of SSE, which leaves the bytes above a 128-bit register alone. Instructions with a VEX or EVEX
 * prefix are not modelled.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
 */
import { copy, register, setConstant } from '../draft.ts';
import { isMemory, type Place } from '../effects.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import {
  clearUpper,
  define,
  placeOf,
  setFlags,
  sourcesOf,
  type Context,
  type Handler,
  type Operand,
} from './x86-context.ts';
import { AF, CF, OF, PF, SF, ZF, isGeneral } from './x86-registers.ts';

export function vectorHandler(mnemonic: string): Handler | undefined {
  const named = HANDLERS.get(mnemonic);
  if (named !== undefined) return named;
  const [, scalar] = /^(?:add|sub|mul|div|min|max)s([sd])$/.exec(mnemonic) ?? [];
  if (scalar !== undefined) return scalarArithmetic(scalar === 's' ? 4 : 8);
  return PACKED.test(mnemonic) ? packed : undefined;
}

/** Instructions whose result depends on both operands. */
const PACKED =
  /^(?:(?:add|sub|mul|div|min|max|and|andn|or|xor)p[sd]|unpck[lh]p[sd]|shufp[sd]|p(?:add|sub)(?:u?s)?[bwdq]|pand|pandn|por|pxor|pcmp(?:eq|gt)[bwd]|punpck[lh](?:bw|wd|dq|qdq)|pack(?:ss|us)(?:wb|dw)|pm(?:in|ax)[us][bwd]|pmul(?:lw|hw|huw|ld|udq)|pmaddwd|pavg[bw]|psadbw|ps[lr]l[wdq]|psra[wd]|pshufb)$/;
/** Instructions that give the same result for any register with itself. */
const CANCELLING = /^(?:xorp[sd]|pxor|psub|pcmpeq|pcmpgt|andnp[sd]|pandn)/;

function isSame([first, second]: readonly Operand[]): boolean {
  return first?.kind === 'register' && second?.kind === 'register' && first.at.low === second.at.low;
}

const packed: Handler = (context) => {
  const [to] = context.operands as [Operand];
  if (to.kind !== 'register') return false;
  const target = register(to.at);
  const sources = context.operands.slice(1).flatMap((each) => sourcesOf(context, each));
  const isIdentity = isSame(context.operands);
  define(context, target, isIdentity ? (CANCELLING.test(context.mnemonic) ? [] : [target]) : [target, ...sources]);
  return true;
};

/** The low element; the others stay as they are. */
function scalarArithmetic(bytes: number): Handler {
  return (context) => {
    const [to, from] = context.operands as [Operand, Operand];
    if (to.kind !== 'register') return false;
    const low = register(span(to.at.low, bytes));
    define(context, low, isSame(context.operands) ? [low] : [low, lowPart(context, from, bytes)]);
    return true;
  };
}

function lowPart(context: Context, operand: Operand, bytes: number): Place {
  const place = placeOf(context, operand.kind === 'memory' ? { ...operand, bytes } : operand, 'read')!;
  return isMemory(place) ? place : register(span(place.register.low, bytes));
}

/** Moves of a whole register. */
const moveWhole: Handler = (context) => {
  const [to, from] = context.operands as [Operand, Operand];
  const source = placeOf(context, from, 'read')!;
  if (to.bytes !== from.bytes) return false;
  copy(context.draft, placeOf(context, to, 'write')!, source);
  return true;
};

/** Moves of the low element: from memory, the rest of the register is cleared, between registers it stays. */
function moveScalar(bytes: number, clears: boolean): Handler {
  return (context) => {
    const [to, from] = context.operands as [Operand, Operand];
    const source = lowPart(context, from, bytes);
    const target = to.kind === 'memory' ? { ...to, bytes } : to;
    if (target.kind !== 'register') {
      copy(context.draft, placeOf(context, target, 'write')!, source);
      return true;
    }
    const low = register(span(target.at.low, bytes));
    copy(context.draft, low, source);
    if (isGeneral(target.at)) clearUpper(context, low);
    else if (target.at.bytes < 16) clearRest(context, target.at, bytes);
    else if (clears || from.kind === 'memory') setConstant(context.draft, span(target.at.low + bytes, 16 - bytes));
    return true;
  };
}

function clearRest({ draft }: Context, { low, bytes }: RegisterSpan, from: number): void {
  if (from < bytes) setConstant(draft, span(low + from, bytes - from));
}

/** Moves of one half of a register, from or to memory; the other half stays. */
function moveHalf(offset: number): Handler {
  return (context) => {
    const [to, from] = context.operands as [Operand, Operand];
    const half = (at: RegisterSpan): Place => register(span(at.low + offset, 8));
    if (to.kind === 'register' && from.kind === 'memory')
      copy(context.draft, half(to.at), placeOf(context, from, 'read')!);
    else if (to.kind === 'memory' && from.kind === 'register')
      copy(context.draft, placeOf(context, to, 'write')!, half(from.at));
    else return false;
    return true;
  };
}

function moveBetweenHalves(to: number, from: number): Handler {
  return ({ draft, operands: [target, source] }) => {
    if (target?.kind !== 'register' || source?.kind !== 'register') return false;
    copy(draft, register(span(target.at.low + to, 8)), register(span(source.at.low + from, 8)));
    return true;
  };
}

/** Results that the second operand decides alone. */
const replace: Handler = (context) => {
  const [to, from] = context.operands as [Operand, Operand];
  if (to.kind !== 'register') return false;
  define(context, register(to.at), sourcesOf(context, from));
  return true;
};

function replaceLow(bytes: number, taken: number): Handler {
  return (context) => {
    const [to, from] = context.operands as [Operand, Operand];
    if (to.kind !== 'register') return false;
    define(context, register(span(to.at.low, bytes)), [lowPart(context, from, taken)]);
    return true;
  };
}

/** Conversions from a general register, whose width the operand has. */
function fromInteger(bytes: number): Handler {
  return (context) => replaceLow(bytes, context.operands[1]!.bytes)(context);
}

/** Conversions to a general register. */
function toInteger(taken: number): Handler {
  return (context) => {
    const [to, from] = context.operands as [Operand, Operand];
    if (to.kind !== 'register') return false;
    define(context, register(to.at), [lowPart(context, from, taken)]);
    return true;
  };
}

function compareScalar(bytes: number): Handler {
  return (context) => {
    const [first, second] = context.operands as [Operand, Operand];
    const sources = [lowPart(context, first, bytes), lowPart(context, second, bytes)];
    for (const flag of [CF, PF, ZF]) setFlags(context, flag, sources);
    for (const flag of [AF, SF, OF]) setConstant(context.draft, flag);
    return true;
  };
}

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ...['movaps', 'movapd', 'movups', 'movupd', 'movdqa', 'movdqu', 'movntps', 'movntpd', 'movntdq', 'lddqu'].map(
    (name): [string, Handler] => [name, moveWhole],
  ),
  ['movss', moveScalar(4, false)],
  ['movsd', moveScalar(8, false)],
  ['movd', moveScalar(4, true)],
  ['movq', moveScalar(8, true)],
  ['movlps', moveHalf(0)],
  ['movlpd', moveHalf(0)],
  ['movhps', moveHalf(8)],
  ['movhpd', moveHalf(8)],
  ['movhlps', moveBetweenHalves(0, 8)],
  ['movlhps', moveBetweenHalves(8, 0)],
  ['sqrtps', replace],
  ['sqrtpd', replace],
  ['sqrtss', replaceLow(4, 4)],
  ['sqrtsd', replaceLow(8, 8)],
  ['pshufd', replace],
  ['pshuflw', replace],
  ['pshufhw', replace],
  ['cvtss2sd', replaceLow(8, 4)],
  ['cvtsd2ss', replaceLow(4, 8)],
  ['cvtsi2ss', fromInteger(4)],
  ['cvtsi2sd', fromInteger(8)],
  ['cvtss2si', toInteger(4)],
  ['cvttss2si', toInteger(4)],
  ['cvtsd2si', toInteger(8)],
  ['cvttsd2si', toInteger(8)],
  ['movmskps', toInteger(16)],
  ['movmskpd', toInteger(16)],
  ['comiss', compareScalar(4)],
  ['ucomiss', compareScalar(4)],
  ['comisd', compareScalar(8)],
  ['ucomisd', compareScalar(8)],
]);
