/**
 * The registers of a processor family as bytes of one *register file*. Registers that share bits share bytes: `al` is the lowest byte of
 * `rax`, `s1` the upper half of `d0`. Each condition flag has a byte of its own, so that an instruction that sets one flag leaves the
 * others alone. Banked registers of Arm (`r13_svc`) are registers of their own, apart from those of the current mode: these are the plain
 * ones. When the mode changes, the plain registers are those of another bank.
 *
 * Names are those of traces and of Capstone, in any case. System registers have no fixed place: each name gets bytes when it first occurs.
 */

/** Bytes of a register file. The lowest byte of a register is its least significant one. */
export interface RegisterSpan {
  readonly low: number;
  readonly bytes: number;
}

/** Where the bits of a register are: bits `bit` to `bit + bits - 1` of its value are the low bits of `span`. */
export interface RegisterField {
  readonly span: RegisterSpan;
  readonly bit: number;
  readonly bits: number;
}

export interface RegisterFile {
  /** Bytes of the program counter. No instruction defines them: its effects describe the flow. */
  readonly counter: RegisterSpan;
  /**
   * Returns the bytes of a register, adjacent bytes as one span: those of all flags for `cpsr`, none for a zero register. Undefined if no
   * register of the family can have this name. `mode` is the current mode as traces of Arm write it, such as `svc` or `EL1h`.
   */
  spansOf(name: string, mode?: string): readonly RegisterSpan[] | undefined;
  /** Returns which bits of the register's value are in which bytes. Bits that no field contains are always zero. */
  fieldsOf(name: string, mode?: string): readonly RegisterField[] | undefined;
  /** Returns the name for people: `r0`, `cpsr.z`, `V0<127:64>`, several joined by commas. */
  nameOf(span: RegisterSpan): string;
  /** Returns the registers, or parts of registers, that the bytes are, in their order. */
  namesIn(span: RegisterSpan): readonly { readonly name: string; readonly span: RegisterSpan }[];
}

/** A register of a family before it has names in other spellings. */
export interface RegisterLayout {
  /** Preferred name; aliases follow. */
  readonly names: readonly string[];
  readonly fields: readonly RegisterField[];
}

/** Registers beyond the fixed ones, such as control registers: each name has this many bytes. */
const SYSTEM_BYTES = 8;
/** A trace can name at most so many registers that no family knows. */
const MOST_SYSTEM_REGISTERS = 8192;

export function span(low: number, bytes: number): RegisterSpan {
  return { low, bytes };
}

/** Returns a layout of a register whose bits are adjacent bytes. */
export function whole(names: readonly string[], low: number, bytes: number): RegisterLayout {
  return { names, fields: [{ span: span(low, bytes), bit: 0, bits: 8 * bytes }] };
}

export interface FamilyLayout {
  readonly registers: readonly RegisterLayout[];
  /** Name of the program counter. */
  readonly counter: string;
  /** First byte after all fixed registers. */
  readonly end: number;
  /** Returns the name that the family uses for a spelling: `r13_svc` for `R13 (SVC)`. */
  readonly plain?: (name: string) => string;
  /** Returns the plain name of a register of the current mode: `r13` for `r13_svc` in the mode `svc`. */
  readonly current?: (name: string, mode: string) => string;
  /** True if a register that the layout does not contain can have this name. */
  readonly isSystem: (name: string) => boolean;
}

export interface GrowingRegisterFile extends RegisterFile {
  /** Returns the bytes of a register that the layout contains. */
  at(name: string): RegisterSpan;
  /** Returns the bytes of a system register. */
  system(name: string): RegisterSpan;
}

const PART = /^(.+?)<(\d{1,4}):(\d{1,4})>/;

export function createRegisterFile(layout: FamilyLayout): GrowingRegisterFile {
  const byName = new Map<string, readonly RegisterField[]>();
  const spansByName = new Map<string, readonly RegisterSpan[]>();
  const systemNames: string[] = [];
  for (const { names, fields } of layout.registers) for (const name of names) byName.set(name.toLowerCase(), fields);
  const named = layout.registers.flatMap(({ names, fields }) =>
    fields.length === 1 ? [{ name: names[0]!, ...fields[0]! }] : [],
  );

  return { counter: at(layout.counter), spansOf, fieldsOf, nameOf, namesIn, at, system };

  function fieldsOf(name: string, mode?: string): readonly RegisterField[] | undefined {
    const plain = plainOf(name, mode);
    const found = byName.get(plain);
    if (found !== undefined) return found;
    const [, register, high, low] = PART.exec(plain) ?? [];
    if (register !== undefined) return partOf(fieldsOf(register, mode), Number(low), Number(high));
    if (!layout.isSystem(plain) || systemNames.length >= MOST_SYSTEM_REGISTERS) return undefined;
    return [{ span: system(plain), bit: 0, bits: 8 * SYSTEM_BYTES }];
  }

  function plainOf(name: string, mode: string | undefined): string {
    const lower = name.toLowerCase();
    const plain = layout.plain?.(lower) ?? lower;
    return mode === undefined || layout.current === undefined ? plain : layout.current(plain, mode.toLowerCase());
  }

  function spansOf(name: string, mode?: string): readonly RegisterSpan[] | undefined {
    const key = mode === undefined ? name : `${name} ${mode}`;
    const known = spansByName.get(key);
    if (known !== undefined) return known;
    const fields = fieldsOf(name, mode);
    if (fields === undefined) return undefined;
    const spans = joined(fields.map((field) => field.span));
    if (spansByName.size < MOST_SYSTEM_REGISTERS) spansByName.set(key, spans);
    return spans;
  }

  function at(name: string): RegisterSpan {
    const fields = byName.get(name);
    if (fields?.length !== 1) throw new RangeError(`the register file has no register ${name}`);
    return fields[0]!.span;
  }

  function system(name: string): RegisterSpan {
    const fields = byName.get(name);
    if (fields !== undefined) return fields[0]!.span;
    const added = span(layout.end + SYSTEM_BYTES * systemNames.length, SYSTEM_BYTES);
    systemNames.push(name);
    byName.set(name, [{ span: added, bit: 0, bits: 8 * SYSTEM_BYTES }]);
    return added;
  }

  function nameOf(wanted: RegisterSpan): string {
    return namesIn(wanted)
      .map(({ name }) => name)
      .join(',');
  }

  function namesIn(wanted: RegisterSpan): { name: string; span: RegisterSpan }[] {
    const found: { name: string; span: RegisterSpan }[] = [];
    const end = wanted.low + wanted.bytes;
    for (let low = wanted.low; low < end;) {
      const { name, bytes } = nameFrom(low, end - low);
      found.push({ name, span: span(low, bytes) });
      low += bytes;
    }
    return found;
  }

  /**
   * Returns a name for the first of `most` bytes: the register that they are, or a part of the smallest one that contains them all, or the
   * longest register that starts there.
   */
  function nameFrom(low: number, most: number): { name: string; bytes: number } {
    if (low >= layout.end) return systemName(low, most);
    const around = named.filter(({ span: at }) => at.low <= low && low < at.low + at.bytes);
    const containing = around.filter(({ span: at }) => low + most <= at.low + at.bytes);
    const starting = around.filter(({ span: at }) => at.low === low);
    const best = (containing.length > 0 ? containing : starting.length > 0 ? starting : around).reduce<
      (typeof named)[number] | undefined
    >(
      (found, each) =>
        found === undefined || each.span.bytes - found.span.bytes < 0 === containing.length > 0 ? each : found,
      undefined,
    );
    if (best === undefined) return { name: `byte ${low}`, bytes: most };
    const offset = low - best.span.low;
    const bytes = Math.min(most, best.span.bytes - offset);
    return bytes === best.span.bytes ? { name: best.name, bytes } : partName(best.name, offset, bytes);
  }

  function systemName(low: number, most: number): { name: string; bytes: number } {
    const offset = (low - layout.end) % SYSTEM_BYTES;
    const name = systemNames[(low - layout.end - offset) / SYSTEM_BYTES] ?? `byte ${low}`;
    const bytes = Math.min(most, SYSTEM_BYTES - offset);
    return bytes === SYSTEM_BYTES ? { name, bytes } : partName(name, offset, bytes);
  }
}

function partName(name: string, offset: number, bytes: number): { name: string; bytes: number } {
  return { name: `${name}<${8 * (offset + bytes) - 1}:${8 * offset}>`, bytes };
}

/** Returns the bytes that contain bits `low` to `high` of a register. */
function partOf(
  fields: readonly RegisterField[] | undefined,
  low: number,
  high: number,
): readonly RegisterField[] | undefined {
  if (fields === undefined || low > high) return undefined;
  return fields.flatMap(({ span: { low: first, bytes }, bit, bits }) => {
    const from = Math.max(low, bit);
    const to = Math.min(high, bit + bits - 1);
    if (from > to) return [];
    const firstByte = (from - bit) >> 3;
    const lastByte = Math.min(bytes - 1, (to - bit) >> 3);
    return [
      { span: span(first + firstByte, lastByte - firstByte + 1), bit: bit + 8 * firstByte - low, bits: to - from + 1 },
    ];
  });
}

/** Returns the spans in order, adjacent and overlapping ones joined. */
export function joined(spans: readonly RegisterSpan[]): readonly RegisterSpan[] {
  const result: RegisterSpan[] = [];
  for (const each of [...spans].sort((a, b) => a.low - b.low)) {
    const last = result.at(-1);
    if (last === undefined || each.low > last.low + last.bytes) result.push(each);
    else {
      const end = Math.max(last.low + last.bytes, each.low + each.bytes);
      result[result.length - 1] = span(last.low, end - last.low);
    }
  }
  return result;
}
