/**
 * Spells the bits of a status register for people: `spellFlags('cpsr', 0x600001d3n)` is `nZCv q A I F t svc`. Returns undefined if
 * the name does not identify the layout.
 *
 * A letter stands for a bit and is upper case if the bit is set. Bits that every core has are always listed, other bits only if they
 * are set. Layouts: Arm Architecture Reference Manual for A-profile (DDI 0487: CPSR, SPSR_EL1, FPSCR, FPCR, FPSR, NZCV, DAIF), for
 * Armv7-M (DDI 0403: B1.4.2 xPSR); eflags: Intel SDM volume 1, 3.4.3.
 */
export function spellFlags(name: string, value: bigint): string | undefined {
  const plain = plainName(name);
  const parts = LAYOUTS.find(({ names }) => names.test(plain))
    ?.spell(value)
    .filter((part) => part !== '');
  return parts === undefined || parts.length === 0 ? undefined : parts.join(' ');
}

/** Returns the mode or exception level in a banked register's name: `svc` for `r13_svc`, `R13 (SVC)` and `LR_svc`, `el1` for `SP_EL1`. */
export function bankOf(name: string): string | undefined {
  const bank = /(?:_| ?\()(usr|fiq|irq|svc|abt|und|sys|mon|hyp|msp|psp|el[0-3])\)?$/i.exec(name);
  return bank?.[1]?.toLowerCase();
}

interface Layout {
  readonly names: RegExp;
  spell(value: bigint): readonly string[];
}

const LAYOUTS: readonly Layout[] = [
  { names: /^(cpsr|spsr|pstate)$/, spell: spellStatus },
  { names: /^(xpsr|psr)$/, spell: (value) => [...conditions(value), ...spellMicrocontroller(value)] },
  { names: /^ipsr$/, spell: (value) => [exceptionOf(value)] },
  { names: /^apsr$/, spell: (value) => [...conditions(value), greater(value)] },
  { names: /^nzcv$/, spell: (value) => [nzcv(value)] },
  {
    names: /^daif$/,
    spell: (value) =>
      letters(value, [
        [9, 'd'],
        [8, 'a'],
        [7, 'i'],
        [6, 'f'],
      ]),
  },
  {
    names: /^fpscr$/,
    spell: (value) => [
      nzcv(value),
      ...marks(value, FLOAT_STATE),
      rounding(value),
      ...marks(value, FLOAT_TRAPS),
      ...marks(value, FLOAT_DONE),
    ],
  },
  {
    names: /^fpcr$/,
    spell: (value) => [
      ...marks(value, FLOAT_STATE).filter((mark) => mark !== 'QC'),
      rounding(value),
      ...marks(value, FLOAT_TRAPS),
    ],
  },
  { names: /^fpsr$/, spell: (value) => [nzcv(value), ...marks(value, [[27, 'QC']]), ...marks(value, FLOAT_DONE)] },
  { names: /^([er]?flags|[er]fl)$/, spell: spellIntel },
];

/** Returns the name in lower case without its bank. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/(_(usr|fiq|irq|svc|abt|und|sys|mon|hyp|el[0-3])| ?\([a-z0-9]+\))$/, '');
}

/** Bit 4, the highest of the mode bits, is set in AArch32 state. */
function spellStatus(value: bigint): string[] {
  return bit(value, 4) ? spell32(value) : spell64(value);
}

const MODES: Readonly<Record<number, string>> = {
  0x10: 'usr',
  0x11: 'fiq',
  0x12: 'irq',
  0x13: 'svc',
  0x16: 'mon',
  0x17: 'abt',
  0x1a: 'hyp',
  0x1b: 'und',
  0x1f: 'sys',
  0x00: 'EL0t',
  0x04: 'EL1t',
  0x05: 'EL1h',
  0x08: 'EL2t',
  0x09: 'EL2h',
  0x0c: 'EL3t',
  0x0d: 'EL3h',
};

function spell32(value: bigint): string[] {
  return [
    ...conditions(value),
    ...marks(value, [[24, 'J']]),
    greater(value),
    ifThen(value),
    ...marks(value, [
      [9, 'E'],
      [8, 'A'],
    ]),
    ...letters(value, [
      [7, 'i'],
      [6, 'f'],
      [5, 't'],
    ]),
    modeOf(value),
  ];
}

function spell64(value: bigint): string[] {
  return [
    nzcv(value),
    ...marks(value, [
      [25, 'TCO'],
      [24, 'DIT'],
      [23, 'UAO'],
      [22, 'PAN'],
      [21, 'SS'],
      [20, 'IL'],
      [12, 'SSBS'],
    ]),
    ...letters(value, [
      [9, 'd'],
      [8, 'a'],
      [7, 'i'],
      [6, 'f'],
    ]),
    modeOf(value),
  ];
}

function modeOf(value: bigint): string {
  const mode = field(value, 0, 5);
  return MODES[mode] ?? `mode=0x${mode.toString(16)}`;
}

function spellMicrocontroller(value: bigint): string[] {
  return [greater(value), ifThen(value), ...letters(value, [[24, 't']]), exceptionOf(value)];
}

function exceptionOf(value: bigint): string {
  const number = field(value, 0, 9);
  return number === 0 ? 'thread' : `exception=${String(number)}`;
}

function nzcv(value: bigint): string {
  return letters(value, [
    [31, 'n'],
    [30, 'z'],
    [29, 'c'],
    [28, 'v'],
  ]).join('');
}

function conditions(value: bigint): string[] {
  return [nzcv(value), ...letters(value, [[27, 'q']])];
}

/** Spells the greater-or-equal flags that parallel additions set. */
function greater(value: bigint): string {
  const flags = field(value, 16, 4);
  return flags === 0 ? '' : `GE=${flags.toString(2).padStart(4, '0')}`;
}

/** Spells the state of an IT block. Its eight bits are bits 15 to 10, then 26 and 25. */
function ifThen(value: bigint): string {
  const state = field(value, 10, 6) * 4 + field(value, 25, 2);
  return state === 0 ? '' : `IT=0x${state.toString(16)}`;
}

const FLOAT_STATE: readonly Bit[] = [
  [27, 'QC'],
  [26, 'AHP'],
  [25, 'DN'],
  [24, 'FZ'],
  [19, 'FZ16'],
];
const FLOAT_TRAPS: readonly Bit[] = [
  [15, 'IDE'],
  [12, 'IXE'],
  [11, 'UFE'],
  [10, 'OFE'],
  [9, 'DZE'],
  [8, 'IOE'],
];
const FLOAT_DONE: readonly Bit[] = [
  [7, 'IDC'],
  [4, 'IXC'],
  [3, 'UFC'],
  [2, 'OFC'],
  [1, 'DZC'],
  [0, 'IOC'],
];

function rounding(value: bigint): string {
  return ['nearest', 'up', 'down', 'to-zero'][field(value, 22, 2)]!;
}

function spellIntel(value: bigint): string[] {
  const level = field(value, 12, 2);
  return [
    ...letters(value, [
      [11, 'o'],
      [10, 'd'],
      [9, 'i'],
      [8, 't'],
      [7, 's'],
      [6, 'z'],
      [4, 'a'],
      [2, 'p'],
      [0, 'c'],
    ]),
    ...(level === 0 ? [] : [`IOPL=${String(level)}`]),
    ...marks(value, [
      [14, 'NT'],
      [16, 'RF'],
      [17, 'VM'],
      [18, 'AC'],
      [19, 'VIF'],
      [20, 'VIP'],
      [21, 'ID'],
    ]),
  ];
}

type Bit = readonly [position: number, name: string];

/** Returns the letter of each bit, in upper case if the bit is set. */
function letters(value: bigint, bits: readonly Bit[]): string[] {
  return bits.map(([position, letter]) => (bit(value, position) ? letter.toUpperCase() : letter));
}

/** Returns the names of the bits that are set. */
function marks(value: bigint, bits: readonly Bit[]): string[] {
  return bits.flatMap(([position, name]) => (bit(value, position) ? [name] : []));
}

function bit(value: bigint, position: number): boolean {
  return field(value, position, 1) === 1;
}

function field(value: bigint, from: number, bits: number): number {
  return Number(BigInt.asUintN(bits, value >> BigInt(from)));
}
