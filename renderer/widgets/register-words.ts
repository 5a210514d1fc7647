/** How the registers of a cpu are grouped and written for people: general ones, those that hold flags, banks, vectors, the rest. */
import { bankOf, spellFlags } from '../../shared/records/arm-registers.ts';
import type { RegisterValue } from '../../shared/records/registers.ts';

export interface RegisterGroup {
  /** Empty for the general ones, which need no title. */
  readonly title: string;
  readonly registers: readonly RegisterValue[];
  /** Characters that the longest name, the longest value and what is spelled out take side by side. */
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

/** `nZCv q A I F t svc`, where the name tells what the bits mean. */
export function flagsOf({ name, value }: RegisterValue): string | undefined {
  return spellFlags(name, BigInt(value));
}

/** Digits that line values of a group up: 8 or 16, or as many as the longest has. */
export function valueDigits(registers: readonly RegisterValue[]): number {
  const longest = Math.max(1, ...registers.map(({ value }) => value.length - 2));
  return longest <= 8 ? 8 : longest <= 16 ? 16 : longest;
}

/** Characters that the shortest names are given, with the blank behind them. */
const NAME = 5;
/** Blanks before flags. */
const GAP = 2;

function widthOf(registers: readonly RegisterValue[]): number {
  const names = registers.map(({ name }) => name.length + 1);
  const spelled = registers.map((register) => flagsOf(register)).map((flags) => (flags ? GAP + flags.length : 0));
  return Math.max(NAME, ...names) + valueDigits(registers) + Math.max(0, ...spelled);
}

const FLAGS = 'Flags';
const SYSTEM = 'Others';
const VECTORS = 'Floating point and vectors';
/** The bank of the registers that programs see: some formats name it with each of them. */
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
