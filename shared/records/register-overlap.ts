/**
 * Names of Arm registers that stand for the same bits, as traces of the Tarmac family spell them.
 *
 * Arm Architecture Reference Manual for A-profile (DDI 0487): registers in AArch64 state (Wn is the low half of Xn; Bn, Hn, Sn,
 * Dn and Qn are the low bits of Vn, and that of Zn with SVE), the SIMD and floating-point registers of AArch32 state (Dn is
 * S2n and S2n+1, Qn is D2n and D2n+1), and how those of AArch32 lie in AArch64's (R0 to R12 in X0 to X12).
 */

/** Bits of those registers whose lowest bit is that of all others with their number; of Z nobody tells. */
const BITS: Readonly<Record<string, number>> = { B: 8, H: 16, S: 32, D: 64, Q: 128, V: 128, W: 32, X: 64, R: 32 };

const VECTORS = ['B', 'H', 'S', 'D', 'Q', 'V', 'Z'];
const MOST_VECTORS = 32;
/** Those above are banked: several of them lie in AArch64's. */
const LAST_UNBANKED = 12;

/**
 * The other names that hold bits of a register. A line does not say which state the core was in: what either state's layout
 * lets share bits is named.
 */
export function overlapping(name: string): readonly string[] {
  const [, letter, digits] = /^([A-Za-z])(0|[1-9]\d?)$/.exec(name) ?? [];
  if (letter === undefined) return [];
  const upper = letter.toUpperCase();
  const number = Number(digits);
  if ('RWX'.includes(upper)) return generalOver(letter, number);
  if (!VECTORS.includes(upper) || number >= MOST_VECTORS) return [];
  const others = [...vectorsOf64(upper, number), ...vectorsOf32(upper, number)];
  if (letter === upper) return others.map(([other, n]) => `${other}${String(n)}`);
  // s0 and v0 are general registers of MIPS and RISC-V, which have no d0 and no q0.
  return others
    .filter(([other]) => isDoubleOrQuad(upper) || isDoubleOrQuad(other))
    .map(([other, n]) => `${other.toLowerCase()}${String(n)}`);
}

/**
 * Whether bits from `low` on of a register can lie in another one that shares bits with it: those with the same number begin
 * together, so that `V0<127:64>` is no part of D0.
 */
export function reaches(low: number, other: string, name: string): boolean {
  return other.slice(1) !== name.slice(1) || low < (BITS[other.slice(0, 1).toUpperCase()] ?? Infinity);
}

/** Traces name those of AArch32 in either case beside those of AArch64 in capitals. */
function generalOver(letter: string, number: number): string[] {
  const others =
    { W: ['X', 'r', 'R'], X: ['W', 'r', 'R'], r: ['W', 'X'], R: ['W', 'X'], w: ['x'], x: ['w'] }[letter] ?? [];
  return others
    .filter((other) => number <= LAST_UNBANKED || (!'rR'.includes(other) && !'rR'.includes(letter)))
    .map((other) => `${other}${String(number)}`);
}

function isDoubleOrQuad(letter: string): boolean {
  return letter === 'D' || letter === 'Q';
}

type Register = readonly [letter: string, number: number];

function vectorsOf64(letter: string, number: number): Register[] {
  return VECTORS.filter((other) => other !== letter).map((other) => [other, number]);
}

function vectorsOf32(letter: string, number: number): Register[] {
  switch (letter) {
    case 'S':
      return [
        ['D', number >> 1],
        ['Q', number >> 2],
      ];
    case 'D':
      return [['Q', number >> 1], ...(number < 16 ? pieces('S', 2 * number, 2) : [])];
    case 'Q':
      return number < 16 ? [...pieces('D', 2 * number, 2), ...(number < 8 ? pieces('S', 4 * number, 4) : [])] : [];
    default:
      return [];
  }
}

function pieces(letter: string, first: number, count: number): Register[] {
  return Array.from({ length: count }, (_, k) => [letter, first + k]);
}
