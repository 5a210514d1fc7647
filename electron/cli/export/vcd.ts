/**
 * `export --to vcd`: registers, memory and call depth as signals of a Value Change Dump, which GTKWave and other viewers read. The time is
 * the record number: at time n, signals have the values after record n. What the records do not show is x.
 */
import { open } from 'node:fs/promises';
import { bytes as sizeText, group } from '../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { CANCELLED, NO_FLOW } from '../../../shared/requests/failures.ts';
import { writeWholeFile } from '../../result-file.ts';
import type { Context } from '../command.ts';
import { flag, type Values } from '../options/options.ts';
import { WATCHED, watchedOf, type Watched } from '../options/watched.ts';
import { filesRead, withTrace, type OpenTrace } from '../trace.ts';

export const VCD_OPTIONS = {
  register: { ...WATCHED.register, text: 'vcd: this register, named as `registers` prints it; repeatable' },
  address: { ...WATCHED.address, text: 'vcd: these bytes of memory as one signal; repeatable' },
  depth: flag('vcd: the call depth of each CPU'),
};

interface Range {
  readonly from: RecordNumber;
  /** The record after the last one. */
  readonly to: RecordNumber | undefined;
}

export async function exportVcd(
  context: Context,
  output: string,
  { from, to }: Range,
  values: Values<typeof VCD_OPTIONS>,
): Promise<Result<void>> {
  return withTrace(context, async (trace) => {
    const indexed = await trace.index();
    if (!indexed.ok) return indexed;
    const end = Math.min(to ?? indexed.value.records, indexed.value.records);
    if (from >= end) return fail('usage', `export: the trace has no records from ${group(from)} on to export`);
    const range = { from, to: end };
    const signals = await signalsOf(context, trace, range, values);
    if (!signals.ok) return signals;
    if (signals.value.length === 0)
      return fail('usage', 'export: the trace shows no registers and no call depth; choose memory with --address A-B');
    const written = await writeWholeFile(
      output,
      (file) => write(context, signals.value, range, file),
      filesRead(context),
    );
    context.progress.clear();
    if (!written.ok) return written;
    const answer = { path: output, signals: signals.value.length, ...written.value };
    const { changes, bytes } = answer;
    await (context.common.json
      ? context.out.json(answer)
      : context.out.write(
          `${output}: ${group(answer.signals)} signals, ${group(changes)} changes, ${sizeText(bytes)}\n`,
        ));
    return ok(undefined);
  });
}

/** The bits of a signal as text of 0, 1 and x, highest first, without a fixed width. */
type Bits = string;

interface Change {
  readonly n: RecordNumber;
  readonly bits: Bits;
}

interface Signal {
  readonly scope: string;
  readonly name: string;
  /** The bits before the first record of the range, and its changes in order, page by page. */
  pages(): AsyncIterator<Result<readonly Change[]>>;
}

async function signalsOf(
  context: Context,
  trace: OpenTrace,
  range: { readonly from: number; readonly to: number },
  values: Values<typeof VCD_OPTIONS>,
): Promise<Result<readonly Signal[]>> {
  const { register = [], address = [], depth = false } = values;
  const chosen = register.length + address.length > 0 || depth;
  const watched = chosen
    ? register.length + address.length > 0
      ? await watchedOf(context, trace, { register, address }, range.from)
      : ok([])
    : await allRegisters(trace, range.to - 1);
  if (!watched.ok) return watched;
  const signals = watched.value.map((one) => watchedSignal(trace, one, range));
  if (!chosen || depth) {
    const depths = await depthSignals(trace, range);
    if (depths.ok) signals.push(...depths.value);
    // Without a choice, a trace without program flow has its registers only.
    else if (depth || depths.error.code !== NO_FLOW) return depths;
  }
  return ok(signals);
}

async function allRegisters(trace: OpenTrace, at: RecordNumber): Promise<Result<readonly Watched[]>> {
  const answer = await trace.request('registers', { trace: trace.id, at });
  if (!answer.ok) return answer;
  return ok(
    answer.value.files.flatMap(({ cpu, registers }) =>
      registers.map(({ name }) => ({ name, subject: { register: name, ...(cpu !== undefined && { cpu }) } })),
    ),
  );
}

/** Changes a request. */
const PAGE = 1000;

function watchedSignal(
  trace: OpenTrace,
  { name, subject, reading }: Watched,
  { from, to }: { readonly from: number; readonly to: number },
): Signal {
  const bitsOf = (contents: string): Bits =>
    subject.register !== undefined ? registerBits(contents) : memoryBits(contents, reading?.endian === 'big');
  return {
    scope: subject.register === undefined ? 'memory' : scopeOf(subject.cpu),
    name,
    async *pages() {
      for (let next: number | null = from; next !== null;) {
        const part: Awaited<ReturnType<typeof trace.request<'watchHistory'>>> = await trace.request('watchHistory', {
          trace: trace.id,
          subject,
          from: next,
          to,
          most: PAGE,
        });
        if (!part.ok) {
          yield part;
          return;
        }
        const changes = part.value.changes.map(({ n, after }) => ({ n, bits: bitsOf(after) }));
        yield ok(next === from ? [{ n: from, bits: bitsOf(part.value.start) }, ...changes] : changes);
        ({ next } = part.value);
      }
    },
  };
}

/** `0x1f`, or parts such as `V0<63:0>=0x1f V0<127:64>=0x0`. */
function registerBits(contents: string): Bits {
  if (/^0x[0-9a-f]+$/.test(contents)) return BigInt(contents).toString(2);
  const parts = contents.split(' ').map((part) => /<(\d+):(\d+)>=0x([0-9a-f]+)$/.exec(part));
  const width = Math.max(0, ...parts.map((part) => Number(part?.[1] ?? -1) + 1));
  if (width === 0 || width > MOST_BITS || parts.includes(null)) return 'x';
  const bits = Array<string>(width).fill('x');
  for (const part of parts) {
    const [high, low] = [Number(part![1]), Number(part![2])];
    const text = BigInt(`0x${part![3]!}`)
      .toString(2)
      .padStart(high - low + 1, '0');
    for (let bit = low; bit <= high; bit++) bits[width - 1 - bit] = text.at(high - bit - (high - low + 1))!;
  }
  // A value that begins with x would be extended by x.
  return bits.join('');
}

const MOST_BITS = 4096;

/** Two digits a byte in the order of addresses, `??` if unknown. */
function memoryBits(contents: string, bigEndian: boolean): Bits {
  const bytes = contents.match(/../g) ?? [];
  return (bigEndian ? bytes : bytes.reverse())
    .map((byte) => (byte === '??' ? 'x'.repeat(8) : Number.parseInt(byte, 16).toString(2).padStart(8, '0')))
    .join('');
}

function scopeOf(cpu: number | undefined): string {
  return cpu === undefined ? 'cpu' : `cpu${String(cpu)}`;
}

const DEPTH_RECORDS = 10_000;

/** A signal for each CPU whose depth is known somewhere. Depths of all CPUs come together, so each signal reads them again. */
async function depthSignals(
  trace: OpenTrace,
  range: { readonly from: number; readonly to: number },
): Promise<Result<readonly Signal[]>> {
  const cpus = new Set<number | undefined>();
  const pages = depthPages(trace, range);
  for (let page = await pages.next(); page.done !== true; page = await pages.next()) {
    if (!page.value.ok) return page.value;
    for (const { cpu } of page.value.value) cpus.add(cpu);
  }
  return ok(
    [...cpus].map((cpu) => ({
      scope: scopeOf(cpu),
      name: 'call_depth',
      async *pages() {
        const all = depthPages(trace, range);
        for (let page = await all.next(); page.done !== true; page = await all.next()) {
          if (!page.value.ok) {
            yield page.value;
            return;
          }
          yield ok(
            page.value.value
              .filter((change) => change.cpu === cpu)
              .map(({ n, depth }) => ({ n, bits: depth === undefined ? 'x' : (depth >>> 0).toString(2) })),
          );
        }
      },
    })),
  );
}

async function* depthPages(
  trace: OpenTrace,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Result<readonly { readonly n: number; readonly cpu?: number; readonly depth?: number }[]>, void> {
  for (let next = from; next < to; next += DEPTH_RECORDS) {
    const count = Math.min(DEPTH_RECORDS, to - next);
    const page = await trace.request('depths', { trace: trace.id, from: next, count });
    if (!page.ok) {
      yield page;
      return;
    }
    const { start, changes } = page.value;
    yield ok([...(next === from ? start.map((its) => ({ ...its, n: from })) : []), ...changes]);
  }
}

interface Written {
  readonly changes: number;
  readonly bytes: number;
}

/** Digits that the header reserves for a width: widths are known once all changes are written. */
const WIDTH_DIGITS = 5;

async function write(
  context: Context,
  signals: readonly Signal[],
  { from, to }: { readonly from: number; readonly to: number },
  path: string,
): Promise<Result<Written>> {
  const widths = signals.map(() => 1);
  const file = await open(path, 'wx');
  try {
    const head = header(signals, widths);
    let bytes = (await file.write(head)).bytesWritten;
    let changes = 0;
    let text = '';
    let time = -1;
    const waiting = signals.map((signal) => ({ pages: signal.pages(), changes: [] as readonly Change[], at: 0 }));
    for (const [i] of signals.entries()) {
      const filled = await fill(i);
      if (!filled.ok) return filled;
    }
    for (;;) {
      if (context.signal.aborted) return fail(CANCELLED, 'the export was interrupted');
      let first = -1;
      for (const [i, { changes, at }] of waiting.entries()) {
        const n = changes[at]?.n ?? Number.POSITIVE_INFINITY;
        if (n < (waiting[first]?.changes[waiting[first]!.at]?.n ?? Number.POSITIVE_INFINITY)) first = i;
      }
      const its = waiting[first];
      if (its === undefined) break;
      const { n, bits } = its.changes[its.at++]!;
      if (n !== time) text += `#${String(n)}\n`;
      time = n;
      text += `b${bits} ${code(first)}\n`;
      while (widths[first]! < bits.length) widths[first] = 2 * widths[first]!;
      changes++;
      if (text.length > 1 << 16) {
        bytes += (await file.write(text)).bytesWritten;
        text = '';
      }
      const filled = await fill(first);
      if (!filled.ok) return filled;
    }
    // The end of the range, so that viewers show the last values.
    if (time < to) text += `#${String(to)}\n`;
    bytes += (await file.write(text)).bytesWritten;
    await file.write(header(signals, widths), 0);
    return ok({ changes, bytes });

    /** Gets the next page of a signal when the last one is used up. */
    async function fill(i: number): Promise<Result<undefined>> {
      const its = waiting[i]!;
      while (its.at >= its.changes.length) {
        const page = await its.pages.next();
        if (page.done === true) return ok(undefined);
        const { value } = page as { readonly value: Result<readonly Change[]> };
        if (!value.ok) return value;
        [its.changes, its.at] = [value.value, 0];
      }
      return ok(undefined);
    }
  } finally {
    await file.close();
  }

  function header(of: readonly Signal[], widths: readonly number[]): string {
    const lines = [
      '$comment',
      `  Tracebench: records ${String(from)} to ${String(to - 1)}. One step of time is one record, not a time of the trace.`,
      '$end',
      '$timescale 1 ns $end',
    ];
    for (const scope of new Set(of.map((signal) => signal.scope))) {
      lines.push(`$scope module ${scope} $end`);
      for (const [i, signal] of of.entries()) {
        if (signal.scope !== scope) continue;
        const width = String(widths[i]).padStart(WIDTH_DIGITS);
        lines.push(`$var wire ${width} ${code(i)} ${signal.name.replaceAll(/[^\w.<>:()-]/g, '_')} $end`);
      }
      lines.push('$upscope $end');
    }
    return `${[...lines, '$enddefinitions $end'].join('\n')}\n`;
  }
}

/** Identifier of a signal: printable characters. */
function code(signal: number): string {
  let text = '';
  for (let rest = signal + 1; rest > 0; rest = Math.floor((rest - 1) / 94))
    text += String.fromCharCode(33 + ((rest - 1) % 94));
  return text;
}
