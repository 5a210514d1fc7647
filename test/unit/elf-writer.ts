/** Writes small ELF files, independently of the reader, with exactly the contents that a test gives, valid or not. */

export interface ElfContent {
  readonly bits: 32 | 64;
  readonly endian: 'little' | 'big';
  /** `e_machine`: 3 x86, 8 MIPS, 40 ARM, 62 x86-64, 183 AArch64, 243 RISC-V. */
  readonly machine: number;
  /** `e_type`: 2 executable by default. */
  readonly type?: number;
  readonly flags?: number;
  readonly sections: readonly SectionContent[];
  readonly symbols?: readonly SymbolContent[];
  /** Without program headers, as in an object file. */
  readonly unloaded?: boolean;
}

export interface SectionContent {
  readonly name: string;
  readonly address?: number | bigint;
  readonly bytes?: readonly number[] | Uint8Array;
  /** `SHF_`: 1 write, 2 alloc, 4 execute; alloc and execute by default. */
  readonly flags?: number;
  /** Occupies this many bytes in memory and none in the file. */
  readonly zeros?: number;
  /** `SHT_`: 1 by default, 8 with `zeros`. */
  readonly type?: number;
  /** `p_paddr`: the address by default. */
  readonly physical?: number | bigint;
}

export interface SymbolContent {
  readonly name: string;
  readonly value: number | bigint;
  readonly size?: number | bigint;
  /** `STT_`: 0 none, 1 object, 2 function, 3 section, 4 file, 6 thread-local; function by default. */
  readonly type?: number;
  /** `STB_`: 0 local, 1 global, 2 weak; global by default. */
  readonly binding?: number;
  /** Name of its section, or a number such as 0 (undefined) or 0xfff1 (absolute); the first section by default. */
  readonly section?: string | number;
}

export function writeElf(content: ElfContent): Uint8Array {
  const wide = content.bits === 64;
  const names = stringTable();
  const strings = stringTable();
  const own = content.sections.map((section) => ({ ...section, index: 0 }));
  const symbols = writer(content);
  putSymbol(symbols, wide, [0, 0n, 0n, 0, 0]);
  for (const { name, value, size = 0, type = 2, binding = 1, section = own[0]!.name } of content.symbols ?? []) {
    const index = typeof section === 'number' ? section : own.findIndex((each) => each.name === section) + 1;
    putSymbol(symbols, wide, [strings.add(name), BigInt(value), BigInt(size), binding * 16 + type, index]);
  }

  const file = writer(content);
  const headerBytes = wide ? 64 : 52;
  const loadBytes = wide ? 56 : 32;
  const loaded = content.unloaded ? [] : own.filter(({ flags = 6 }) => (flags & 2) !== 0);
  file.fill(headerBytes + loadBytes * loaded.length);
  const heads: Head[] = [{ name: 0, type: 0, flags: 0, address: 0n, offset: 0, size: 0, link: 0, entry: 0 }];
  const loads: { offset: number; address: bigint; physical: bigint; held: number; memory: number; flags: number }[] =
    [];
  for (const section of own) {
    const { name, address = 0, bytes = [], flags = 6, zeros, type = zeros === undefined ? 1 : 8 } = section;
    file.align(4);
    const offset = file.bytes.length;
    file.put(bytes);
    const size = zeros ?? bytes.length;
    heads.push(head(names.add(name), type, flags, BigInt(address), offset, size));
    const may = 4 | (flags & 1 ? 2 : 0) | (flags & 4 ? 1 : 0);
    if (loaded.includes(section)) {
      const physical = BigInt(section.physical ?? address);
      loads.push({ offset, address: BigInt(address), physical, held: bytes.length, memory: size, flags: may });
    }
  }
  const tables = [
    { name: '.symtab', type: 2, bytes: symbols.bytes, link: heads.length + 1, entry: wide ? 24 : 16 },
    { name: '.strtab', type: 3, bytes: strings.bytes, link: 0, entry: 0 },
    { name: '.shstrtab', type: 3, bytes: names.bytes, link: 0, entry: 0 },
  ];
  for (const table of tables) {
    const name = names.add(table.name);
    file.align(8);
    heads.push({
      ...head(name, table.type, 0, 0n, file.bytes.length, table.bytes.length),
      link: table.link,
      entry: table.entry,
    });
    file.put(table.bytes);
  }
  file.align(8);
  const headsAt = file.bytes.length;
  for (const each of heads) putHead(file, each);

  const start = writer(content);
  start.put([0x7f, 0x45, 0x4c, 0x46, wide ? 2 : 1, content.endian === 'little' ? 1 : 2, 1, 0]);
  start.fill(8);
  start
    .number(content.type ?? 2, 2)
    .number(content.machine, 2)
    .number(1, 4);
  start
    .word(loads[0]?.address ?? 0n)
    .word(BigInt(loads.length > 0 ? headerBytes : 0))
    .word(BigInt(headsAt));
  start
    .number(content.flags ?? 0, 4)
    .number(headerBytes, 2)
    .number(loadBytes, 2)
    .number(loads.length, 2);
  start
    .number(wide ? 64 : 40, 2)
    .number(heads.length, 2)
    .number(heads.length - 1, 2);
  for (const { offset, address, physical, held, memory, flags } of loads) {
    start.number(1, 4);
    if (wide) start.number(flags, 4);
    start.word(BigInt(offset)).word(address).word(physical).word(BigInt(held)).word(BigInt(memory));
    if (!wide) start.number(flags, 4);
    start.word(4n);
  }
  return Uint8Array.from([...start.bytes, ...file.bytes.slice(start.bytes.length)]);
}

interface Head {
  readonly name: number;
  readonly type: number;
  readonly flags: number;
  readonly address: bigint;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  readonly entry: number;
}

function head(name: number, type: number, flags: number, address: bigint, offset: number, size: number): Head {
  return { name, type, flags, address, offset, size, link: 0, entry: 0 };
}

function putHead(file: Writer, { name, type, flags, address, offset, size, link, entry }: Head): void {
  file.number(name, 4).number(type, 4).word(BigInt(flags)).word(address).word(BigInt(offset)).word(BigInt(size));
  file.number(link, 4).number(0, 4).word(1n).word(BigInt(entry));
}

type SymbolFields = readonly [name: number, value: bigint, size: bigint, info: number, section: number];

function putSymbol(to: Writer, wide: boolean, [name, value, size, info, section]: SymbolFields): void {
  to.number(name, 4);
  if (wide) to.number(info, 1).number(0, 1).number(section, 2).word(value).word(size);
  else to.word(value).word(size).number(info, 1).number(0, 1).number(section, 2);
}

/** A growing string table; its first byte is the empty name. */
function stringTable(): { readonly bytes: number[]; add(name: string): number } {
  const bytes = [0];
  return {
    bytes,
    add(name) {
      const at = bytes.length;
      bytes.push(...new TextEncoder().encode(name), 0);
      return at;
    },
  };
}

export interface Writer {
  readonly bytes: number[];
  put(bytes: Iterable<number>): Writer;
  number(value: number | bigint, width: number): Writer;
  /** Writes a number with the width of an address. */
  word(value: bigint): Writer;
  fill(count: number): Writer;
  align(to: number): Writer;
}

export function writer({ bits, endian }: Pick<ElfContent, 'bits' | 'endian'>): Writer {
  const bytes: number[] = [];
  const self: Writer = {
    bytes,
    put(more) {
      for (const byte of more) bytes.push(byte);
      return self;
    },
    number(value, width) {
      const lowFirst = Array.from({ length: width }, (_, i) => Number((BigInt(value) >> BigInt(8 * i)) & 0xffn));
      return self.put(endian === 'little' ? lowFirst : lowFirst.reverse());
    },
    word: (value) => self.number(value, bits / 8),
    fill: (count) => self.put(new Array<number>(count).fill(0)),
    align: (to) => self.fill((to - (bytes.length % to)) % to),
  };
  return self;
}

/** Returns an ELF file of ARM code at 0x8000 with one function. */
export function writeArmCode(words: readonly number[], name: string): Uint8Array {
  const bytes = words.flatMap((word) => [word & 255, (word >> 8) & 255, (word >> 16) & 255, word >>> 24]);
  return writeElf({
    bits: 32,
    endian: 'little',
    machine: 40,
    sections: [{ name: '.text', address: 0x8000, bytes }],
    symbols: [{ name, value: 0x8000, size: bytes.length }],
  });
}
