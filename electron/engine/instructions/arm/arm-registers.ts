/**
 * The register file of AArch32.
 *
 * Source: Arm Architecture Reference Manual for Armv7-A and Armv7-R (DDI 0406C), B1.3 (banked registers, CPSR) and A2.6 (S, D and Q).
 */
import {
  createRegisterFile,
  span,
  whole,
  type RegisterField,
  type RegisterLayout,
  type RegisterSpan,
} from '../register-file.ts';

const FIRST_FLAG = 64;
const REST = FIRST_FLAG + 6;
const SINGLES = 128;
const FLOAT_FLAGS = SINGLES + 256;
const FLOAT_REST = FLOAT_FLAGS + 4;
const BANKED = FLOAT_FLAGS + 8;

const GENERAL_ALIASES: Readonly<Record<number, readonly string[]>> = {
  9: ['sb'],
  10: ['sl'],
  11: ['fp'],
  12: ['ip'],
  13: ['sp'],
  14: ['lr'],
  15: ['pc'],
};

const BANKS: readonly (readonly [mode: string, first: number])[] = [
  ['usr', 8],
  ['fiq', 8],
  ['irq', 13],
  ['svc', 13],
  ['abt', 13],
  ['und', 13],
  ['mon', 13],
  ['hyp', 13],
];

const CONDITION_FIELDS: readonly RegisterField[] = ['n', 'z', 'c', 'v'].map((_, k) => ({
  span: span(FIRST_FLAG + k, 1),
  bit: 31 - k,
  bits: 1,
}));
const APPLICATION_FIELDS: readonly RegisterField[] = [
  ...CONDITION_FIELDS,
  { span: span(FIRST_FLAG + 4, 1), bit: 27, bits: 1 },
  { span: span(FIRST_FLAG + 5, 1), bit: 16, bits: 4 },
];
const STATUS_FIELDS: readonly RegisterField[] = [
  ...APPLICATION_FIELDS,
  { span: span(REST, 2), bit: 0, bits: 16 },
  { span: span(REST + 2, 1), bit: 20, bits: 7 },
];

function layout(): { registers: RegisterLayout[]; end: number } {
  const registers: RegisterLayout[] = [];
  for (let n = 0; n < 16; n++) registers.push(whole([`r${n}`, ...(GENERAL_ALIASES[n] ?? [])], 4 * n, 4));
  registers.push({ names: ['cpsr', 'psr', 'xpsr', 'pstate'], fields: STATUS_FIELDS });
  registers.push({ names: ['apsr'], fields: APPLICATION_FIELDS });
  registers.push({ names: ['nzcv', 'apsr_nzcv', 'cpsr_f'], fields: CONDITION_FIELDS });
  ['n', 'z', 'c', 'v', 'q', 'ge'].forEach((flag, k) => registers.push(whole([`cpsr.${flag}`], FIRST_FLAG + k, 1)));
  registers.push(whole(['cpsr.control'], REST, 3));
  for (let n = 0; n < 32; n++) registers.push(whole([`s${n}`], SINGLES + 4 * n, 4));
  for (let n = 0; n < 32; n++) registers.push(whole([`d${n}`], SINGLES + 8 * n, 8));
  for (let n = 0; n < 16; n++) registers.push(whole([`q${n}`], SINGLES + 16 * n, 16));
  const floatFlags = ['n', 'z', 'c', 'v'].map((_, k) => ({ span: span(FLOAT_FLAGS + k, 1), bit: 31 - k, bits: 1 }));
  registers.push({ names: ['fpscr'], fields: [...floatFlags, { span: span(FLOAT_REST, 4), bit: 0, bits: 28 }] });
  registers.push({ names: ['fpscr_nzcv'], fields: floatFlags });
  ['n', 'z', 'c', 'v'].forEach((flag, k) => registers.push(whole([`fpscr.${flag}`], FLOAT_FLAGS + k, 1)));
  registers.push(whole(['fpscr.control'], FLOAT_REST, 4));
  let low = BANKED;
  const bank = (name: string): void => {
    registers.push(whole([name], low, 4));
    low += 4;
  };
  bank('spsr');
  for (const [mode, first] of BANKS) {
    for (let n = first; n <= 14; n++) bank(`r${n}_${mode}`);
    if (mode !== 'usr') bank(`spsr_${mode}`);
  }
  return { registers, end: low };
}

const BANKED_NAME = /^(r\d+|sp|lr|spsr|elr)(?:_| ?\()(usr|sys|fiq|irq|svc|abt|und|mon|hyp)\)?$/;
/** A microcontroller's trace says which stack pointer is the current one. */
const CURRENT_STACK = /^(?:r13|sp) \([mp]sp\)$/;
const UNBANKED = /^r[0-7]$/;
/** Names of general, floating-point and banked registers, whose numbers the layout bounds. */
const NUMBERED = /^[rsdq]\d+(?:_|$)/;

/** `R13 (SVC)` and `SP_svc` are `r13_svc`. Registers 0 to 7 have no banks, and system mode has the registers of user mode. */
function plain(name: string): string {
  if (CURRENT_STACK.test(name)) return 'r13';
  const [, register, mode] = BANKED_NAME.exec(name) ?? [];
  if (register === undefined || mode === undefined) return name;
  if (UNBANKED.test(register)) return register;
  const number = { sp: 'r13', lr: 'r14' }[register] ?? register;
  const bank = mode === 'sys' ? 'usr' : mode;
  if (bank !== 'fiq' && /^r(?:8|9|10|11|12)$/.test(number)) return bank === 'usr' ? `${number}_usr` : number;
  return `${number}_${bank}`;
}

/** System mode has the bank of user mode. */
function current(name: string, mode: string): string {
  const bank = mode.startsWith('sys') ? 'usr' : mode.slice(0, 3);
  return name.endsWith(`_${bank}`) ? name.slice(0, -4) : name;
}

export const ARM_REGISTERS = createRegisterFile({
  ...layout(),
  current,
  counter: 'r15',
  plain,
  isSystem: (name) => /^[a-z]\w{1,31}$/.test(name) && !NUMBERED.test(name),
});

const GENERAL: readonly RegisterSpan[] = Array.from({ length: 16 }, (_, n) => ARM_REGISTERS.at(`r${n}`));
const USER_BANK: readonly RegisterSpan[] = GENERAL.map((each, n) =>
  n === 13 || n === 14 ? ARM_REGISTERS.at(`r${n}_usr`) : each,
);

export const PC = 15;
export const LR = 14;
export const SP = 13;

export function general(n: number): RegisterSpan {
  return GENERAL[n]!;
}

/** Register of user mode, as seen from a privileged mode other than FIQ. */
export function userBank(n: number): RegisterSpan {
  return USER_BANK[n]!;
}

export const N = span(FIRST_FLAG, 1);
export const Z = span(FIRST_FLAG + 1, 1);
export const C = span(FIRST_FLAG + 2, 1);
export const V = span(FIRST_FLAG + 3, 1);
export const Q = span(FIRST_FLAG + 4, 1);
export const GE = span(FIRST_FLAG + 5, 1);
export const NZ = span(FIRST_FLAG, 2);
export const NZCV = span(FIRST_FLAG, 4);
/** All flags: n, z, c, v, q and ge. */
export const FLAGS = span(FIRST_FLAG, 6);
export const CPSR = span(FIRST_FLAG, 9);
export const CONTROL = span(REST, 3);
export const SPSR = ARM_REGISTERS.at('spsr');
export const FPSCR = span(FLOAT_FLAGS, 8);
export const FPSCR_NZCV = span(FLOAT_FLAGS, 4);

export function single(n: number): RegisterSpan {
  return span(SINGLES + 4 * n, 4);
}

export function double(n: number): RegisterSpan {
  return span(SINGLES + 8 * n, 8);
}

const DECIDING: readonly (readonly RegisterSpan[])[] = [[Z], [C], [N], [V], [C, Z], [N, V], [N, Z, V], []];

/** Returns the flags that decide a condition, given as the four bits of its encoding. */
export function flagsOf(condition: number): readonly RegisterSpan[] {
  return DECIDING[condition >> 1]!;
}
