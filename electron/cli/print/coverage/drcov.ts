/**
 * Coverage as a file of drcov, version 2, which Lighthouse, lightkeeper and Cartographer read: a text head with the modules, then the
 * basic blocks that ran, eight bytes each: offset in the module (32 bits), size (16 bits), module (16 bits), all little-endian.
 */
import type { Coverage } from '../../../../shared/requests/answers/coverage.ts';
import type { ImageFacts } from '../../../../shared/requests/requests.ts';
import { COUNTED, hasPart } from '../../../../shared/coverage/parts.ts';

const BLOCK_BYTES = 8;
const MOST_SIZE = 0xffff;
const MOST_OFFSET = 0xffff_ffffn;

interface Module {
  readonly base: bigint;
  readonly end: bigint;
  readonly path: string;
  readonly segments: readonly { readonly low: bigint; readonly high: bigint }[];
}

/** Code that ran outside of all images is left out: it has no module. */
export function drcovOf({ instructions }: Coverage, images: readonly ImageFacts[]): Uint8Array {
  const modules = images.flatMap(modulesOf);
  const blocks: { readonly at: bigint; size: number; readonly module: number }[] = [];
  /** Whether the next instruction may belong to the last block. */
  let goesOn = false;
  for (const [row, text] of instructions.addresses.entries()) {
    const ran = instructions.counts[row]! > 0 && hasPart(instructions, row, COUNTED.instruction);
    const address = BigInt(text);
    const module = ran ? moduleAt(modules, address) : -1;
    if (module < 0) {
      goesOn = false;
      continue;
    }
    const size = instructions.sizes[row]!;
    const last = blocks.at(-1);
    const follows = last?.module === module && last.at + BigInt(last.size) === address && last.size + size <= MOST_SIZE;
    if (goesOn && follows) last.size += size;
    else blocks.push({ at: address, size, module });
    goesOn = !instructions.kinds[row]!.endsWith('branch');
  }
  const digits = (address: bigint): string => `0x${address.toString(16).padStart(16, '0')}`;
  const head = [
    'DRCOV VERSION: 2',
    'DRCOV FLAVOR: drcov',
    `Module Table: version 2, count ${modules.length}`,
    'Columns: id, base, end, entry, path',
    ...modules.map(({ base, end, path }, id) => `${id}, ${digits(base)}, ${digits(end)}, ${digits(0n)}, ${path}`),
    `BB Table: ${blocks.length} bbs`,
    '',
  ].join('\n');
  const start = new TextEncoder().encode(head);
  const file = new Uint8Array(start.length + BLOCK_BYTES * blocks.length);
  file.set(start);
  const view = new DataView(file.buffer, start.length);
  for (const [i, { at, size, module }] of blocks.entries()) {
    view.setUint32(BLOCK_BYTES * i, Number(at - modules[module]!.base), true);
    view.setUint16(BLOCK_BYTES * i + 4, size, true);
    view.setUint16(BLOCK_BYTES * i + 6, module, true);
  }
  return file;
}

/** An image is a module, unless its segments are too far apart for offsets of 32 bits: then each segment is. */
function modulesOf({ path, segments }: ImageFacts): readonly Module[] {
  const parts = segments
    .map(({ address, bytes, memory }) => {
      const low = BigInt(address);
      return { low, high: low + BigInt(Math.max(bytes, memory)) };
    })
    .sort((a, b) => (a.low < b.low ? -1 : 1));
  if (parts.length === 0) return [];
  const moduleOf = (own: typeof parts, name = path): Module => ({
    base: own[0]!.low,
    end: own.reduce((most, { high }) => (high > most ? high : most), 0n),
    path: name,
    segments: own,
  });
  const one = moduleOf(parts);
  if (one.end - one.base <= MOST_OFFSET) return [one];
  // Readers join modules of one name.
  return parts.map((part) => moduleOf([part], `${path}@0x${part.low.toString(16)}`));
}

function moduleAt(modules: readonly Module[], address: bigint): number {
  return modules.findIndex(({ segments }) => segments.some(({ low, high }) => low <= address && address < high));
}
