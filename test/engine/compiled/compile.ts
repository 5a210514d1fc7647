/** Compiles the programs with the available compilers; their own tools provide loaders and symbol lists. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert } from '../../../shared/base/result.ts';

export interface Toolchain {
  readonly prefix: string;
  /** Reason why it cannot be used; absent if it can. */
  readonly missing?: string;
}

export interface Compiled {
  /** The program with its symbols. */
  readonly elf: string;
  /** Memory starting at 0. */
  readonly image: Uint8Array;
  readonly functions: readonly CompiledFunction[];
  /** Any symbol's address. */
  at(symbol: string): number;
  /** Text of the instruction at an address, by the compiler's disassembler. */
  textAt(address: number): string;
}

export interface CompiledFunction {
  readonly name: string;
  readonly address: number;
  readonly end: number;
}

/** The short form of the tests runs every second one. */
export const PROGRAMS = ['unwind', 'sorts', 'traps', 'words'] as const;
export type ProgramName = (typeof PROGRAMS)[number];

/** Programs with a fault on purpose, which are samples too. */
export const FAULTS = ['fault-uninitialised', 'fault-stray-write', 'fault-off-by-one'] as const;
export type FaultName = (typeof FAULTS)[number];

/** Result of the program when it runs natively on this machine. */
export const ANSWERS: Readonly<Record<ProgramName, number>> = {
  sorts: 0x38c7bef2,
  words: 0xcd7da850,
  unwind: 0x5b248e37,
  traps: 0x6b72e698,
};

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
/** Debug information names no folder of this machine. */
const MAPPED = [`-ffile-prefix-map=${process.cwd()}=.`, `-ffile-prefix-map=${SOURCES}=`];
const FREE = '-ffreestanding -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -g0'.split(' ');
const LINK = '-nostdlib -nostartfiles -static -Wl,--build-id=none'.split(' ');

export const ARM = find('arm-none-eabi-', [...'-c -mthumb -march=armv5te -x c'.split(' ')]);
export const X86 = find('', [...'-c -m32 -march=i586 -x c'.split(' ')]);

/** `how`: options of the program's own code, such as `-O2 -mthumb`. */
export function compileArm(folder: string, program: ProgramName | FaultName, how: string): Compiled {
  const options = how.split(' ');
  const march = options.find((option) => option.startsWith('-march')) ?? '-march=armv5te';
  const common = [...FREE, march, '-mfloat-abi=soft', '-mthumb-interwork'];
  const handlers = compile(ARM, folder, 'arm-handlers.c', [...common, '-O1', '-marm']);
  const start = compile(ARM, folder, 'arm-start.S', [...common, '-marm']);
  const own = compile(ARM, folder, `${program}.c`, [...common, ...options]);
  const place = ['-Wl,--section-start=.vectors=0', '-Wl,-Ttext=0x8000'];
  const state = options.filter((option) => option === '-mthumb' || option === '-marm');
  return link(ARM, folder, [...common, ...state, ...LINK, ...place, start, handlers, own, '-lgcc'], 0);
}

export function compileX86(folder: string, program: ProgramName, how: string): Compiled {
  const common = [...FREE, '-m32', '-march=i586', '-fcf-protection=none', '-mgeneral-regs-only', '-no-pie'];
  const handlers = compile(X86, folder, 'x86-handlers.c', [...common, '-O1']);
  const start = compile(X86, folder, 'x86-start.S', common);
  const own = compile(X86, folder, `${program}.c`, [...common, ...how.split(' ')]);
  return link(X86, folder, [...common, ...LINK, '-Wl,-Ttext=0x100000', start, handlers, own], 0x10_0000);
}

function find(prefix: string, flags: readonly string[]): Toolchain {
  for (const tool of ['gcc', 'objcopy', 'objdump', 'readelf']) {
    try {
      execFileSync(`${prefix}${tool}`, ['--version'], { stdio: 'pipe' });
    } catch {
      return { prefix, missing: `there is no ${prefix}${tool} here` };
    }
  }
  try {
    execFileSync(`${prefix}gcc`, [...flags, '-o', '/dev/null', '-'], { input: 'int one;', stdio: 'pipe' });
  } catch {
    return { prefix, missing: `${prefix}gcc makes no code with ${flags.join(' ')}` };
  }
  return { prefix };
}

function tool({ prefix }: Toolchain, name: string, args: readonly string[]): string {
  return execFileSync(`${prefix}${name}`, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
}

function compile(chain: Toolchain, folder: string, source: string, options: readonly string[]): string {
  const object = path.join(folder, `${source}.${fs.readdirSync(folder).length}.o`);
  tool(chain, 'gcc', [...options, ...MAPPED, '-c', '-o', object, path.join(SOURCES, source)]);
  return object;
}

function link(chain: Toolchain, folder: string, args: readonly string[], base: number): Compiled {
  const elf = path.join(folder, `${fs.readdirSync(folder).length}.elf`);
  tool(chain, 'gcc', [...args, '-o', elf]);
  const flat = `${elf}.img`;
  tool(chain, 'objcopy', ['-O', 'binary', elf, flat]);
  const bytes = fs.readFileSync(flat);
  const image = new Uint8Array(base + bytes.length);
  image.set(bytes, base);
  const symbols = symbolsOf(tool(chain, 'readelf', ['-sW', elf]));
  const texts = textsOf(tool(chain, 'objdump', ['-d', '-w', elf]));
  return {
    elf,
    image,
    functions: symbols.filter(({ type }) => type === 'FUNC').map((symbol) => functionOf(symbol, chain === ARM)),
    at(symbol) {
      const found = symbols.find(({ name }) => name === symbol);
      assert(found !== undefined, `the program has ${symbol}`);
      return found.address;
    },
    textAt: (address) => texts.get(address) ?? '',
  };
}

interface Symbol {
  readonly name: string;
  readonly type: string;
  readonly address: number;
  readonly size: number;
}

function symbolsOf(listing: string): readonly Symbol[] {
  const lines = listing.matchAll(/^ *\d+: ([0-9a-f]+) +(\d+) (\w+) +\w+ +\w+ +\S+ (\S+)/gm);
  return [...lines].map(([, value = '', size = '', type = '', name = '']) => ({
    name,
    type,
    address: Number.parseInt(value, 16),
    size: Number(size),
  }));
}

/** Bit 0 of an ARM symbol marks Thumb code. */
function functionOf({ name, address, size }: Symbol, isArm: boolean): CompiledFunction {
  const start = isArm ? address - (address % 2) : address;
  return { name, address: start, end: start + size };
}

function textsOf(listing: string): ReadonlyMap<number, string> {
  const lines = listing.matchAll(/^ *([0-9a-f]+):\t[0-9a-f ]+\t(.*)$/gm);
  return new Map(
    [...lines].map(([, address = '', text = '']) => [Number.parseInt(address, 16), text.replace(/\s+/g, ' ').trim()]),
  );
}
