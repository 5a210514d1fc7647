/**
 * Counts the work of readers for long lines, for the law of linear time (linear.test.ts, which runs this file as a process of its own):
 *
 *     node test/laws/linear.ts
 *
 * Prints the inputs that need the most work as JSON. V8 counts how often each block of statements runs (a function, the body of a loop, a
 * branch), which is the same on every machine under any load. It counts only in code that it compiles after counting began, so the formats
 * are loaded late, and counting would slow other tests down.
 */
import { Session } from 'node:inspector/promises';
import type { Format, Decoder } from '../../shared/format/format.ts';
import type { Sample } from './samples.ts';
import { few, NIGHTLY, rounds } from '../short-form.ts';

/** The work for one input. */
export interface Work {
  readonly reader: string;
  readonly piece: string;
  readonly line: string;
  readonly blocksPerByte: number;
}

/** Number of bytes by which a line grows. */
const LONG = rounds(2048, 4096);
/** Number of results that are printed. */
const SHOWN = 10;

/** A part that a line repeats; a function of its number if the parts differ. */
type Piece = string | ((k: number) => string);

/** Parts of the grammars of all formats, and text that can be mistaken for them. */
const PIECES: readonly Piece[] = [
  ...[
    '0',
    'F',
    ' ',
    '\t',
    '(',
    ')',
    '[',
    '{',
    '"',
    "'",
    ',',
    ';',
    ':',
    '/',
    '-',
    '.',
    '=',
    '_',
    '#',
    '\r',
    '\0',
    '\xff',
  ],
  ...[
    '1 ',
    '0x1 ',
    '0x1( ',
    '0x1(',
    '(0x1)',
    '0x1(a)/0x2(b ',
    '/0x',
    '[0] ',
    '0x1/0x2/P/-/-/1 ',
    'R0 1 ',
    'R0=1,',
    '1..',
  ],
  ...['{1:0}', '[1:0],', 'D[7:0],', '"a",', 'IT (1) ', 'MW4 0 0 ', 'BR (0) ', 'PERF_RECORD_', ' I  04000000,4', '1e9'],
  (k) => `D${String(k)},`,
  (k) => `A${String(LONG - k)},`,
  (k) => `D${String(k % 2 === 0 ? k : 2 * LONG - k)},`,
  (k) => `A[${String(k + 1)}:${String(k)}],`,
  (k) => `R${String(k)}=${String(k)} `,
];

/** Places where a line grows: its start, the end of its first word, its middle, its end. */
const PLACES: readonly ((text: string) => number)[] = [
  () => 0,
  (text) => Math.max(0, text.search(/[ ,\t]/)),
  (text) => text.length >> 1,
  (text) => text.length,
];

/** Number of lines at the start of a sample that give the others their meaning. */
const HEAD_LINES = 3;
/** Number of lines of a sample from which lines are chosen. */
const MOST_LINES = rounds(30, 60);
/** Number of pieces for detection in the short form. */
const DETECTED = 15;
/** In the short form, a format gets one of this many pieces, and neighbours in the list of formats get others. */
const PIECE_SHARE = 12;
/** Number of lines of a format, each of its own shape. */
const MOST_SHAPES = 8;

interface Line {
  readonly decoder: Decoder;
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

const { FORMATS } = await import('../../shared/formats/index.ts');
const { lineShape } = await import('../../shared/format/diagnostics.ts');
const { decodeAll } = await import('./drive.ts');
const { findSamples, headOf, openSample } = await import('./samples.ts');

const works: Work[] = [];
const samples = findSamples();
await detect(' ');
works.length = 0;
for (const piece of few(PIECES, DETECTED)) await detect(piece);
for (const [k, format] of FORMATS.entries()) await read(format, piecesFor(k));
works.sort((a, b) => b.blocksPerByte - a.blocksPerByte);
process.stdout.write(JSON.stringify({ inputs: works.length, worst: works.slice(0, SHOWN) }));

/** Returns the pieces for a format: in the short form all that vary, and a share of the others. */
function piecesFor(format: number): readonly Piece[] {
  if (NIGHTLY) return PIECES;
  return PIECES.filter((piece, k) => typeof piece !== 'string' || k % PIECE_SHARE === format % PIECE_SHARE);
}

/** Adds the work of detection for a long line, and for shorter ones, which more readers look at. */
async function detect(piece: Piece): Promise<void> {
  const inputs = [`${grow(piece, LONG / 4)}\n`.repeat(2), grow(piece, LONG)].map(bytesOf);
  for (const bytes of inputs.slice(0, rounds(1, 2))) {
    await add('detection', piece, '', bytes.length, () => {
      for (const format of FORMATS) format.sniff(headOf(bytes));
    });
  }
}

/** Adds the work of a format's reader for its sample lines, each grown by the pieces. */
async function read(format: Format, pieces: readonly Piece[]): Promise<void> {
  const own = samples.filter((sample) => sample.format === format.id);
  const lines = distinct(own.flatMap((sample) => linesOf(sample, openSample(format, sample))));
  if (lines.length === 0) return;
  await forgetWork();
  for (const [k, piece] of pieces.entries()) {
    const grown = grow(piece, LONG);
    const places = NIGHTLY ? PLACES : [PLACES[k % PLACES.length]!];
    // Parts with numbers are titles above all, and the first line can be a header.
    const line = lines[typeof piece === 'string' ? k % lines.length : 0]!;
    for (const { decoder, before, text, after } of NIGHTLY ? lines : [line]) {
      for (const place of places) {
        const at = place(text);
        const bytes = bytesOf(`${before}${text.slice(0, at)}${grown}${text.slice(at)}${after}`);
        await add(format.id, piece, text, bytes.length, () => {
          format.sniff(headOf(bytes));
          decodeAll(decoder, bytes, { batchRecords: 64, describe: () => true });
        });
      }
    }
  }
}

/** Leaves out the work since the last input: each call returns the counts since the previous call. */
async function forgetWork(): Promise<void> {
  await session.post('Profiler.takePreciseCoverage');
}

async function add(reader: string, piece: Piece, line: string, length: number, task: () => void): Promise<void> {
  task();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  let blocks = 0;
  for (const { url, functions } of result) {
    if (!url.includes('/shared/')) continue;
    for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
  }
  const shown = typeof piece === 'string' ? piece : piece(0);
  works.push({ reader, piece: shown, line, blocksPerByte: blocks / length });
}

function linesOf(sample: Sample, decoder: Decoder): readonly Line[] {
  if (decoder.framing.kind !== 'lines') return [];
  const lines = Buffer.from(sample.bytes).toString('latin1').split('\n').slice(0, MOST_LINES);
  const before = lines.slice(0, HEAD_LINES).map((line) => `${line}\n`);
  return lines.map((text, n) => ({
    decoder,
    before: before.slice(0, n).join(''),
    text: text.replace(/\r$/, ''),
    after: `\n${lines[n + 1] ?? ''}\n`,
  }));
}

/** Returns the first line of each shape, or of some shapes that are spread evenly over all. */
function distinct(lines: readonly Line[]): readonly Line[] {
  const shapes = new Map<string, Line>();
  for (const line of lines) {
    const bytes = bytesOf(line.text);
    const shape = lineShape(bytes, 0, bytes.length);
    if (!shapes.has(shape)) shapes.set(shape, line);
  }
  const all = [...shapes.values()];
  return all.filter((_, k) => k % Math.ceil(all.length / MOST_SHAPES) === 0);
}

function grow(piece: Piece, length: number): string {
  let text = '';
  for (let k = 0; text.length < length; k++) text += typeof piece === 'string' ? piece : piece(k);
  return text;
}

function bytesOf(latin1: string): Uint8Array {
  return new Uint8Array(Buffer.from(latin1, 'latin1'));
}
