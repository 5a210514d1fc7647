/**
 * Tarmac text for hard cases of the machine's state: a few busy memory lines, accesses of 1 to 32 bytes at any alignment over lines,
 * pages, 4 GiB and the top of the address space, several cpus with equal register names, banked and unknown registers, contradicting
 * reads, aborted accesses, unknown values, and damaged stretches.
 */
import { createRandom, type Random } from '../laws/random.ts';

export interface Options {
  readonly cpus: number;
  /** Number of contradicting reads in 1000. */
  readonly contradicting: number;
  /** Number of damaged lines in 1000, in stretches. */
  readonly damaged: number;
}

export function stateTarmac(lines: number, seed: number, { cpus, contradicting, damaged }: Options): string {
  const random = createRandom(seed);
  const memory = new Map<bigint, number>();
  const out: string[] = [];
  for (let time = 1; out.length < lines; time++) {
    const what = random.below(100);
    if (random.below(8000) < damaged) out.push(...damage(random));
    else if (what < 20) out.push(instruction(random, time, random.below(cpus)));
    else if (what < 45) out.push(`${time} clk R ${register(random)} ${registerValue(random)}`);
    else out.push(access(random, time, memory, contradicting));
  }
  return `${out.join('\n')}\n`;
}

/** Busy places: code, inside a line, at the end of a line, of a page, of 4 GiB, and the top of the address space. */
const PLACES = [0x8000n, 0x1000n, 0x103cn, 0x1ff8n, 0x2040n, 0xfffffff4n, 0xffff800000001ffcn, 0xffffffffffffffc0n];

function addressIn(random: Random): bigint {
  if (random.below(12) === 0) return BigInt(random.below(2 ** 32)) * BigInt(1 + random.below(2 ** 31));
  // Most are within a few bytes of each other, some a few lines away.
  const reach = random.below(3) === 0 ? 200 : 24;
  const place = PLACES[random.below(PLACES.length)]! + BigInt(random.below(reach));
  return place > TOP ? TOP : place;
}

const TOP = (1n << 64n) - 1n;
const SIZES = [1, 1, 2, 4, 4, 4, 8, 16, 32];

function access(random: Random, time: number, memory: Map<bigint, number>, contradicting: number): string {
  const size = SIZES[random.below(SIZES.length)]!;
  const address = addressIn(random);
  const writes = random.below(5) < 2;
  const head = `${time} clk M${writes ? 'W' : 'R'}${size} ${hex(address, address > 0xffffffffn ? 16 : 8)}`;
  const fate = random.below(40);
  if (fate === 0) return `${head} (ABORTED)`;
  const places = Array.from({ length: size }, (_, k) => address + BigInt(k));
  if (fate === 1) {
    if (writes) for (const place of places) memory.delete(place);
    return `${head} ${'x'.repeat(2 * size)}`;
  }
  const wrong = random.below(1000) < contradicting;
  const bytes = places.map((place) => (writes || wrong ? undefined : memory.get(place)) ?? random.below(256));
  places.forEach((place, k) => memory.set(place, bytes[k]!));
  const digits = bytes.map((byte) => hex(BigInt(byte), 2));
  return `${head} ${digits.reverse().join('')}`;
}

function instruction(random: Random, time: number, cpu: number): string {
  const taken = random.below(6) === 0 ? 'IS' : 'IT';
  const address = hex(0x8000n + BigInt(2 * random.below(300)), 8);
  const halves = random.below(2) === 0 ? 'bf00' : `f000${hex(BigInt(0xf800 + random.below(99)), 4)}`;
  return random.below(4) === 0
    ? `${time} clk ${cpu} ${taken} (${time}) ${address} ${halves} T svc : nop`
    : `${time} clk ${cpu} ${taken} (${time}) ${address} ${hex(BigInt(random.below(2 ** 32)), 8)} A svc : mov`;
}

function register(random: Random): string {
  const rare = ['cpsr', 'spsr (IRQ)', 'R13 (SVC)', 'R13 (IRQ)', 'once_only', ...PARTS];
  return random.below(3) === 0 ? rare[random.below(rare.length)]! : `r${random.below(13)}`;
}

const PARTS = ['V3', 'V3<127:64>', 'V3<63:0>', 'V3<31:0>', 'V4<127:0>', 'V4<95:32>', 'cpsr<31:28>'];

function registerValue(random: Random): string {
  if (random.below(30) === 0) return 'xxxxxxxx';
  return hex(BigInt(random.below(2 ** 32)), 8);
}

/** A stretch of damaged lines. */
function damage(random: Random): string[] {
  return Array.from({ length: 1 + random.below(12) }, () => {
    const kinds = ['', '12 clk MR4 zz 00', '12 clk MW4 00001000', 'R r1', `0${'\u0000'.repeat(3)}0`, '9 clk R r1 q'];
    return random.below(3) === 0
      ? String.fromCharCode(...random.bytes(1 + random.below(60)).map((byte) => (byte === 10 ? 32 : byte)))
      : kinds[random.below(kinds.length)]!;
  });
}

function hex(value: bigint, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
