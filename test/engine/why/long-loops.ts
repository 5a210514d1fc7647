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
  readonly ifZero?: boolean;
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
const IF_ZERO: Operation = { ...move(6, 9), opcode: '03a06009', text: 'moveq r6, #9', ifZero: true };

/** @param turns least number of turns of each of the `phases` loops, at most 0xe00 */
export function longLoops(phases: number, random: Random, turns = 50): string {
  const machine: Machine = { registers: new Uint32Array(16), memory: new Map([[0, 0]]), isZero: false };
  const lines: string[] = [];
  let flags = '';
  let time = 0;
  const run = (address: number, operation: Operation): void => {
    time += 1;
    const executes = operation.ifZero !== true || machine.isZero;
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
    do body.forEach((operation, k) => run(place + 4 * k, operation));
    while (!machine.isZero);
  }
  return `${lines.join('\n')}\n`;
}
