/** Capstone as WebAssembly, loaded once for each thread when an instruction needs it, and its names for instruction sets. */
import type { Capstone } from '@alexaltea/capstone-js';
import type { Isa } from './machine.ts';

let loading: Promise<Capstone> | undefined;

export function loadCapstone(): Promise<Capstone> {
  loading ??= import('@alexaltea/capstone-js').then(({ default: load }) => load());
  return loading;
}

/** Returns the numbers that select an instruction set and the byte order of its instructions. */
export function modeOf(capstone: Capstone, isa: Isa, littleEndian: boolean): [architecture: number, mode: number] {
  // Added instead of combined with `|`, because MODE_BIG_ENDIAN is bit 31.
  const order = littleEndian ? 0 : capstone.MODE_BIG_ENDIAN;
  switch (isa) {
    case 'arm':
      return [capstone.ARCH_ARM, capstone.MODE_ARM + order];
    case 'thumb':
      return [capstone.ARCH_ARM, capstone.MODE_THUMB + order];
    case 'aarch64':
      return [capstone.ARCH_ARM64, order];
    case 'x86-16':
      return [capstone.ARCH_X86, capstone.MODE_16];
    case 'x86-32':
      return [capstone.ARCH_X86, capstone.MODE_32];
    case 'x86-64':
      return [capstone.ARCH_X86, capstone.MODE_64];
    case 'mips32':
      return [capstone.ARCH_MIPS, capstone.MODE_MIPS32 + order];
    case 'mips64':
      return [capstone.ARCH_MIPS, capstone.MODE_MIPS64 + order];
    case 'riscv32':
      return [capstone.ARCH_RISCV, capstone.MODE_RISCV32 + capstone.MODE_RISCVC];
    case 'riscv64':
      return [capstone.ARCH_RISCV, capstone.MODE_RISCV64 + capstone.MODE_RISCVC];
    default:
      return isa satisfies never;
  }
}
