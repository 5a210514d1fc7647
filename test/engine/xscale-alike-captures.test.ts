/** The result of a capture does not depend on earlier captures with equal bytes, nor on the division into blocks. */
import fs from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { createCaptureReader } from '../../electron/engine/flow/captures/reader.ts';
import type { ImageFlowReader } from '../../electron/engine/flow/events/image-flow.ts';
import { createCodeStates } from '../../electron/engine/image/code-states.ts';
import { createImages, type Images } from '../../electron/engine/image/images.ts';
import { createSymbolTable } from '../../electron/engine/image/symbols.ts';
import type { BlockStart } from '../../electron/engine/index/blocks.ts';
import { openTraceReader, type TraceReader } from '../../electron/engine/index/trace-reader.ts';
import { createBatch, resetBatch } from '../../shared/records/batch.ts';
import { setApart, type Events } from '../../shared/flow/events.ts';
import { assert, type Result } from '../../shared/base/result.ts';
import { createRandom } from '../laws/random.ts';
import { encode } from '../unit/xscale-encoder.ts';
import { createProgram, runProgram, type Program } from '../unit/xscale-program.ts';
import { scratch } from './traces.ts';

const place = scratch();
afterAll(place.dispose);

const random = createRandom(21);
const program = createProgram(random, 4);

interface Made {
  readonly bytes: Buffer;
  /** Events of the capture in a file that contains only this capture. */
  readonly alone: readonly Reported[];
  readonly records: number;
}

type Reported = readonly number[];

describe.each(['raw', 'checkpoints'] as const)('captures of the dialect %s', (dialect) => {
  const unit = dialect === 'raw' ? 256 : 264;
  const buffers = Array.from({ length: 9 }, (_, i) => captureOf(i, dialect));
  // Buffers with a byte that is no message, without a message at the end, and never written.
  buffers.push(changed(buffers[0]!, 180, 0xb0), changed(buffers[1]!, 255, 0xb0), Buffer.alloc(unit));
  const made = buffers.map((bytes, i): Made => {
    const alone = readAll(place.file(`${dialect}-${i}`, bytes), dialect, 1 << 20);
    return { bytes, ...alone, alone: alone.reported };
  });
  // Captures without a message at the end are kept far apart, since several in a row would look like missing bytes.
  const order = Array.from({ length: 200 }, (_, i) =>
    i % 40 === 20 ? made.length - 1 - (((i - 20) / 40) % 2) : random.below(10),
  );

  // Blocks that begin inside captures, blocks that begin at captures, and one block for all.
  test.each([480, 4 * unit, 1 << 20])('give the same events as alone, in blocks of %i bytes', (blockBytes) => {
    const file = place.file(`${dialect}-all`, Buffer.concat(order.map((i) => made[i]!.bytes)));
    const { reported, records } = readAll(file, dialect, blockBytes);
    expect(text(reported)).toBe(text(inOrder(order.map((i) => made[i]!))));
    expect(records).toBe(order.reduce((sum, i) => sum + made[i]!.records, 0));
  });

  test('give the same events if bytes are lost in between', () => {
    const whole = Array.from({ length: 40 }, (_, i) => made[i % 9]!);
    const lost = whole.map(({ bytes }, i) => (i === 20 ? bytes.subarray(0, 37) : bytes));
    const { reported } = readAll(place.file(`${dialect}-lost`, Buffer.concat(lost)), dialect, 1 << 20);
    const before = inOrder(whole.slice(0, 20));
    // The number of buffers that the loss damages is left open.
    const behind = inOrder(whole.slice(30));
    expect(text(reported.slice(0, before.length))).toBe(text(before));
    const shift = reported.at(-1)![0]! - behind.at(-1)![0]!;
    expect(text(reported.slice(-behind.length))).toBe(text(shifted(behind, shift)));
  });
});

function captureOf(i: number, dialect: 'raw' | 'checkpoints'): Buffer {
  const events = runProgram(program, random, 300 + random.below(900), { interrupts: 3, aborts: 1 });
  const { buffer, checkpoints } = encode(events, program.start, {
    mode: i % 3 === 0 ? 'fill' : 'wrap',
    fromDebugger: i % 4 === 0,
    marksThumb: false,
    checkpoints: 128,
  });
  const registers = Buffer.alloc(dialect === 'raw' ? 0 : 8);
  if (dialect === 'checkpoints') checkpoints.forEach((value, k) => registers.writeUInt32LE(value, 4 * k));
  return Buffer.concat([buffer, registers]);
}

function changed(buffer: Buffer, at: number, byte: number): Buffer {
  const other = Buffer.from(buffer);
  other[at] = byte;
  return other;
}

function inOrder(captures: readonly Made[]): readonly Reported[] {
  let first = 0;
  return captures.flatMap(({ alone, records }) => {
    const reported = shifted(alone, first);
    first += records;
    return reported;
  });
}

function shifted(reported: readonly Reported[], by: number): readonly Reported[] {
  return reported.map(([record = 0, ...rest]) => [record + by, ...rest]);
}

/** All events of a file, block by block as in one thread, read twice: the second time all captures are known. */
function readAll(
  file: string,
  dialect: string,
  blockBytes: number,
): { readonly reported: readonly Reported[]; readonly records: number } {
  const reader = readerOf(file, dialect, blockBytes);
  const { starts, records } = startsOf(reader);
  const captures = createCaptureReader(reader, createBatch(), imagesOf(program));
  const reported = eventsOf(captures, starts, records, true);
  expect(text(eventsOf(captures, starts, records, false))).toBe(text(reported));
  reader.source.close();
  return { reported: reported, records };
}

function eventsOf(
  captures: ImageFlowReader,
  starts: readonly BlockStart[],
  records: number,
  lean: boolean,
): readonly Reported[] {
  return starts.flatMap(({ firstRecord, block }) => {
    const end = starts[block + 1]?.firstRecord ?? records;
    // Maximum address range of a capture.
    const blocks = starts.slice(Math.max(0, block - 3), block + 4);
    const { events } = value(captures.read({ blocks, first: firstRecord, end, lean }));
    setApart(events);
    return Array.from({ length: events.count }, (_, i) => reported(events, i));
  });
}

function text(reported: readonly Reported[]): string {
  return reported.map((event) => event.join(' ')).join('\n');
}

function reported({ record, kind, flags, sourceLow, targetLow, resumeLow, instructions }: Events, i: number): Reported {
  return [record, kind, flags, sourceLow, targetLow, resumeLow, instructions].map((column) => column[i]!);
}

function startsOf(reader: TraceReader): { readonly starts: readonly BlockStart[]; readonly records: number } {
  const batch = createBatch();
  let { initial: state } = reader.decoder;
  let [position, firstRecord] = [0, 0];
  const starts = Array.from({ length: reader.plan.blocks }, (_, block): BlockStart => {
    const start = { block, entry: { position, state }, firstRecord };
    const window = value(reader.loader.load(block, start.entry, state));
    while (window.position < window.end) {
      resetBatch(batch, firstRecord);
      state = reader.decoder.decode(window, state, batch);
      firstRecord += batch.count;
    }
    ({ position } = window);
    return start;
  });
  return { starts, records: firstRecord };
}

function readerOf(file: string, dialect: string, blockBytes: number): TraceReader {
  const { dev, ino, size: fileBytes } = fs.statSync(file);
  const settings = {
    dialect,
    endian: 'auto',
    base: '0',
    state: 'auto',
    'enable-pc': '',
    checkpoints: '',
    capture: 'all',
  };
  const identity = `${dev}:${ino}`;
  return value(openTraceReader({ key: file, path: file, identity, format: 'xscale', settings, fileBytes, blockBytes }));
}

function imagesOf({ segments }: Program): Images {
  return createImages([
    {
      path: 'program',
      size: 0,
      digest: () => 'program',
      form: 'raw',
      shift: 0n,
      segments: segments.map(({ address, bytes }) => ({
        address: BigInt(address),
        bytes,
        memory: BigInt(bytes.length),
      })),
      symbols: createSymbolTable([]),
      states: createCodeStates([]),
      notices: [],
    },
  ]);
}

function value<T>(result: Result<T>): T {
  assert(result.ok, 'the capture can be read');
  return result.value;
}
