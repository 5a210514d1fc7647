/**
 * Writes a QEMU4V trace of loops that leave most registers alone, from a small model of a processor: with registers left out whose value did
 * not change, code that changes at its address, instructions that do not execute, several lines with blank lines between them, and lines that
 * are not of the usual form.
 */
import type { Random } from '../../laws/random.ts';

interface Machine {
  readonly registers: Uint32Array;
  readonly memory: Map<number, number>;
  isZero: boolean;
}

/** An instruction: its opcode, text, the registers that it sets, and what it does. */
interface Operation {
  readonly opcode: string;
  readonly text: string;
  readonly sets: readonly number[];
  readonly run: (machine: Machine) => void;
  /** A line of its access. */
  readonly access?: (machine: Machine) => string;
  /** Returns false if it does not execute. */
  readonly condition?: (machine: Machine) => boolean;
}

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');

/** @param value at most 0xff, or a multiple of 16 up to 0xff0 */
function move(to: number, value: number): Operation {
  const constant = value < 256 ? value : 0xe00 + value / 16;
  const opcode = `e3a0${to.toString(16)}${constant.toString(16).padStart(3, '0')}`;
  return { opcode, text: `mov r${to}, #${value}`, sets: [to], run: ({ registers }) => (registers[to] = value) };
}

function add(to: number, from: number, value: number): Operation {
  const opcode = `e28${from.toString(16)}${to.toString(16)}0${value.toString(16).padStart(2, '0')}`;
  const run = ({ registers }: Machine): void => {
    registers[to] = registers[from]! + value;
  };
  return { opcode, text: `add r${to}, r${from}, #${value}`, sets: [to], run };
}

const COPY: Operation = {
  opcode: 'e1a07005',
  text: 'mov r7, r5',
  sets: [7],
  run: ({ registers }) => (registers[7] = registers[5]!),
};
const COUNT: Operation = {
  opcode: 'e2511001',
  text: 'subs r1, r1, #1',
  sets: [1],
  run(machine) {
    machine.registers[1]! -= 1;
    machine.isZero = machine.registers[1] === 0;
  },
};
const STORE: Operation = {
  opcode: 'e5807000',
  text: 'str r7, [r0]',
  sets: [],
  run: ({ registers, memory }) => memory.set(registers[0]!, registers[7]!),
  access: ({ registers }) => `MW4 ${hex(registers[0]!)} ${hex(registers[7]!)}`,
};
const LOAD: Operation = {
  opcode: 'e5905000',
  text: 'ldr r5, [r0]',
  sets: [5],
  run: ({ registers, memory }) => (registers[5] = memory.get(registers[0]!)!),
  access: ({ registers, memory }) => `MR4 ${hex(registers[0]!)} ${hex(memory.get(registers[0]!)!)}`,
};
const isZero = (machine: Machine): boolean => machine.isZero;
const IF_ZERO: Operation = { ...move(6, 9), opcode: '03a06009', text: 'moveq r6, #9', condition: isZero };

/** @param kind the upper byte of the opcode: eb is bl, 0a beq, 1a bne */
function branch(kind: string, from: number, to: number): Omit<Operation, 'text'> {
  const words = ((to - from - 8) >> 2) & 0xffffff;
  return { opcode: kind + words.toString(16).padStart(6, '0'), sets: [], run: () => undefined };
}

function branchIf(holds: boolean, from: number, to: number): Operation {
  const name = holds ? 'beq' : 'bne';
  const condition = (machine: Machine): boolean => machine.isZero === holds;
  return { ...branch(holds ? '0a' : '1a', from, to), text: `${name} #${to}`, condition };
}

function call(from: number, to: number): Operation {
  const run = ({ registers }: Machine): void => {
    registers[14] = from + 4;
  };
  return { ...branch('eb', from, to), text: `bl #${to}`, sets: [14], run };
}

const RETURN: Operation = { opcode: 'e12fff1e', text: 'bx lr', sets: [], run: () => undefined };

/**
 * @param turns least number of turns of each of the `phases` loops, at most 0xe00
 * @param isCalled true if each loop is a function of its own with a branch back, more than 200 turns, and a branch before some calls
 */
export function longLoops(phases: number, random: Random, turns = 50, isCalled = false): string {
  const machine: Machine = { registers: new Uint32Array(16), memory: new Map([[0, 0]]), isZero: false };
  const lines: string[] = [];
  let flags = '';
  let time = 0;
  const run = (address: number, operation: Operation): void => {
    time += 1;
    const executes = operation.condition?.(machine) ?? true;
    // Some lines have two blanks, which the fast pass of the decoder leaves to the careful one.
    const blank = random.below(20_000) === 0 ? '  ' : ' ';
    lines.push(
      `${time} clk${blank}0 ${executes ? 'IT' : 'IS'} (${time}) ${hex(address)} ${operation.opcode} A svc_s : ${operation.text}`,
    );
    if (!executes) return;
    const before = machine.registers.slice();
    if (operation.access !== undefined) lines.push(`${time} clk ${operation.access(machine)}`);
    operation.run(machine);
    for (const register of operation.sets)
      if (before[register] !== machine.registers[register])
        lines.push(`${time} clk R r${register} ${hex(machine.registers[register]!)}`);
    const latest = machine.isZero ? '600001d3' : '200001d3';
    if (operation === COUNT && latest !== flags) lines.push(`${time} clk R cpsr ${latest}`);
    if (operation === COUNT) flags = latest;
    if (random.below(500) === 0) lines.push('', '');
  };
  for (let phase = 0; phase < phases; phase++) {
    if (phase % 4 === 0) {
      run(0x8000, move(0, 4 * random.below(3)));
      if (!machine.memory.has(machine.registers[0]!)) run(0x8004, STORE);
      run(0x8008, random.below(2) === 0 ? LOAD : add(5, 5, random.below(3)));
      run(0x800c, COPY);
      run(0x8010, STORE);
    }
    run(0x8014, move(1, 16 * Math.ceil((turns + random.below(200)) / 16)));
    // Some loops set r5, to the value that it has. Halfway the loops change places, so that their addresses have other code.
    const loop = random.below(3);
    const register = [4, 5, 8][loop]!;
    const place = 0x8020 + 0x10 * ((loop + Number(phase >= phases / 2)) % 3);
    const changing = add(register, register, 0);
    const body = turns > 200 ? [changing, COUNT] : [add(3, 3, 1), changing, IF_ZERO, COUNT];
    if (isCalled) {
      if (random.below(3) === 0) run(0x8018, branchIf(true, 0x8018, 0x801c));
      run(0x801c, call(0x801c, place));
      body.push(branchIf(false, place + 8, place));
    }
    do body.forEach((operation, k) => run(place + 4 * k, operation));
    while (!machine.isZero);
    if (isCalled) run(place + 12, RETURN);
  }
  return `${lines.join('\n')}\n`;
}

/** A line of Thumb code; those between IT and the next plain one depend on Z. */
type ThumbLine = readonly [
  opcode: string,
  text: string,
  executes: boolean,
  set?: readonly [register: string, value: number],
];

/**
 * Writes loops of Thumb code in which an IT instruction makes the two or three after it conditional. Other instructions between them shift the
 * loops, so that parts of blocks begin everywhere in them.
 * @param last number of the instruction before the first one
 */
export function thumbLoops(turns: number, random: Random, last: number): string {
  const lines: string[] = [];
  const values = new Map<string, number>();
  let time = last;
  const run = (address: number, [opcode, text, executes, set]: ThumbLine): void => {
    time += 1;
    lines.push(`${time} clk 0 ${executes ? 'IT' : 'IS'} (${time}) ${hex(address)} ${opcode} T svc_s : ${text}`);
    if (!executes || set === undefined || values.get(set[0]) === set[1]) return;
    values.set(...set);
    lines.push(`${time} clk R ${set[0]} ${hex(set[1])}`);
  };
  for (let turn = 0; turn < turns; turn++) {
    const isZero = random.below(3) === 0;
    for (let k = random.below(3); k > 0; k--) run(0x8ffe, ['bf00', 'nop', true]);
    run(0x9000, ['2900', 'cmp r1, #0', true, ['cpsr', isZero ? 0x600001f3 : 0x200001f3]]);
    if (random.below(2) === 0) {
      run(0x9002, ['bf0c', 'ite eq', true]);
      run(0x9004, ['2601', 'moveq r6, #1', isZero, ['r6', 1]]);
      run(0x9006, ['2602', 'movne r6, #2', !isZero, ['r6', 2]]);
    } else {
      run(0x9010, ['bf06', 'itte eq', true]);
      run(0x9012, ['2503', 'moveq r5, #3', isZero, ['r5', 3]]);
      run(0x9014, ['4630', 'moveq r0, r6', isZero, ['r0', values.get('r6') ?? 0]]);
      run(0x9016, ['4635', 'movne r5, r6', !isZero, ['r5', values.get('r6') ?? 0]]);
    }
    run(0x9008, ['2701', 'movs r7, #1', true, ['r7', 1]]);
  }
  return `${lines.join('\n')}\n`;
}
