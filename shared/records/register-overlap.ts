/**
 * Finds Arm registers that share bits with another register, by their names in traces of the Tarmac family.
 *
 * Source: Arm Architecture Reference Manual for A-profile (DDI 0487). AArch64: Wn is the low half of Xn; Bn, Hn, Sn, Dn and Qn are
 * the low bits of Vn, which with SVE is the low part of Zn. AArch32: Dn is S2n and S2n+1, Qn is D2n and D2n+1. AArch32 registers R0
 * to R12 are the low halves of X0 to X12.
 */

/** Width in bits of the registers that start at bit 0 of their number's register. The width of Z is implementation defined. */
const BITS: Readonly<Record<string, number>> = { B: 8, H: 16, S: 32, D: 64, Q: 128, V: 128, W: 32, X: 64, R: 32 };

const VECTORS = ['B', 'H', 'S', 'D', 'Q', 'V', 'Z'];
const MOST_VECTORS = 32;
/** Higher register numbers are banked: several AArch64 registers hold them. */
const LAST_UNBANKED = 12;

/**
 * Returns the other register names that share bits with a register. A trace line does not contain the state of the core, so the
 * layouts of both states count.
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
  // In lower case, s0 and v0 may be general registers of MIPS and RISC-V, which have neither d0 nor q0.
  return others
    .filter(([other]) => isDoubleOrQuad(upper) || isDoubleOrQuad(other))
    .map(([other, n]) => `${other.toLowerCase()}${String(n)}`);
}

/**
 * True if the bits of register `name` starting at bit `low` can overlap register `other`. Registers with the same number start at the
 * same bit, so `V0<127:64>` does not overlap D0.
 */
export function reaches(low: number, other: string, name: string): boolean {
  return other.slice(1) !== name.slice(1) || low < (BITS[other.slice(0, 1).toUpperCase()] ?? Infinity);
}

/** Traces spell AArch32 registers in either case, next to AArch64 registers in upper case. */
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
