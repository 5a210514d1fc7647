/** Groups the registers of a CPU for display: general, flags, banks, vectors, and others. */
import { bankOf, spellFlags } from '../../shared/records/arm-registers.ts';
import type { RegisterValue } from '../../shared/records/registers.ts';

export interface RegisterGroup {
  /** Title of the group; empty for general registers. */
  readonly title: string;
  readonly registers: readonly RegisterValue[];
  /** Width in characters of the longest name, the longest value and the longest flags together. */
  readonly width: number;
}

const GENERAL =
  /^([rxwa-z]?\d{1,2}|[re]?(ax|bx|cx|dx|si|di|bp|sp|ip)|r\d{1,2}[dwb]?|sp|lr|pc|fp|ip|xzr|wzr|zero|ra|gp|tp|[astk]\d{1,2}|v[01]|at|hi|lo|s8)$/i;
const VECTOR = /^([vqdshbzp]|xmm|ymm|zmm|st|mm|f|ft|fs|fa)\d{1,2}(<.*>)?$/i;

export function groupRegisters(registers: readonly RegisterValue[]): readonly RegisterGroup[] {
  const groups = new Map<string, RegisterValue[]>();
  for (const register of registers) {
    const title = titleOf(register);
    const own = groups.get(title);
    if (own) own.push(register);
    else groups.set(title, [register]);
  }
  return [...groups]
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([title, own]) => ({
      title,
      registers: own,
      width: widthOf(own),
    }));
}

/** Returns the flags in a register as letters, such as `nZCv q A I F t svc`; undefined if the register has none. */
export function flagsOf({ name, value }: RegisterValue): string | undefined {
  return spellFlags(name, BigInt(value));
}

/** Returns the number of digits for the values of a group: 8 or 16, or the number in the longest value. */
export function valueDigits(registers: readonly RegisterValue[]): number {
  const longest = Math.max(1, ...registers.map(({ value }) => value.length - 2));
  return longest <= 8 ? 8 : longest <= 16 ? 16 : longest;
}

/** Smallest width of the name column in characters, including the following space. */
const NAME = 5;
/** Number of spaces before flags. */
const GAP = 2;

function widthOf(registers: readonly RegisterValue[]): number {
  const names = registers.map(({ name }) => name.length + 1);
  const spelled = registers.map((register) => flagsOf(register)).map((flags) => (flags ? GAP + flags.length : 0));
  return Math.max(NAME, ...names) + valueDigits(registers) + Math.max(0, ...spelled);
}

const FLAGS = 'Flags';
const SYSTEM = 'Others';
const VECTORS = 'Floating point and vectors';
/** Bank of the registers that user programs see. Some formats include it in register names. */
const USER = 'usr';

function titleOf(register: RegisterValue): string {
  if (flagsOf(register) !== undefined) return FLAGS;
  const bank = bankOf(register.name);
  if (bank !== undefined && bank !== USER) return bank.startsWith('el') ? bank.toUpperCase() : `Bank ${bank}`;
  if (VECTOR.test(register.name) && register.value.length > 10) return VECTORS;
  if (bank === USER || GENERAL.test(register.name)) return '';
  return VECTOR.test(register.name) ? VECTORS : SYSTEM;
}

function rank(title: string): number {
  const known = ['', FLAGS].indexOf(title);
  if (known >= 0) return known;
  return title === VECTORS ? 4 : title === SYSTEM ? 3 : 2;
}
