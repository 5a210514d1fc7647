/**
 * Encodes the trace buffer of an XScale after a run, written from the 80200 manual's tables 13-16 and 13-17 and its section on
 * checkpoint registers, independently of the reader. It also returns the truth: the instructions before each entry.
 */
import type { Event, Kind, Line, Place } from './xscale-program.ts';

export interface Options {
  readonly mode: 'wrap' | 'fill';
  /** The debugger's return is the first entry; else software enabled the buffer. */
  readonly fromDebugger: boolean;
  /** Bit 0 of a target marks Thumb code. */
  readonly marksThumb: boolean;
  /** Bit 0 of a checkpoint register marks Thumb code; as in `marksThumb` if it is left out. */
  readonly registersMarkThumb?: boolean;
  /** Bytes between two checkpoints; 0 for none. */
  readonly checkpoints: number;
  /** Both halves of a Thumb call count as one instruction, at the address of the first half. No interrupt may separate them. */
  readonly wholeCalls?: boolean;
}

export interface Encoded {
  readonly buffer: Uint8Array;
  readonly checkpoints: readonly [number, number];
  /** Entries at least partly in the buffer, oldest first. */
  readonly entries: readonly TrueEntry[];
}

export interface TrueEntry {
  /** Instructions executed since the previous entry, including the one that made this entry. */
  readonly ran: readonly Line[];
  /** Kind of the entry. */
  readonly kind: Kind | 'exception' | 'interrupt' | 'debugger' | 'none';
  readonly source?: number;
  readonly target?: number;
  /** True if its target is in the buffer or in a register. */
  readonly known: boolean;
  readonly vector?: number;
  readonly wrapped: boolean;
}

interface Written {
  readonly bytes: readonly number[];
  readonly checkpointed: boolean;
  readonly ran: readonly Line[];
  readonly kind: TrueEntry['kind'];
  readonly source?: number;
  readonly target?: number;
  readonly vector?: number;
}

const BUFFER = 256;
const ROLL_OVER = 0xff;

export function encode(events: readonly Event[], start: Place, wanted: Options): Encoded {
  const written: Written[] = [];
  let count = 0;
  let length = 0;
  let sinceCheckpoint = Number.POSITIVE_INFINITY;
  let ran: Line[] = [];
  let half: Line | undefined;
  const registers: [number, number] = [0x5a5a5a5a, 0xffffffff];

  const put = (
    message: number,
    target: Place | undefined,
    indirect: boolean,
    what: Pick<Written, 'kind' | 'source' | 'vector'>,
  ): void => {
    const value = target === undefined ? 0 : target.address + (target.thumb && wanted.marksThumb ? 1 : 0);
    const checkpointed = target !== undefined && wanted.checkpoints > 0 && sinceCheckpoint >= wanted.checkpoints;
    if (checkpointed) {
      registers[1] = registers[0];
      const marked = target.thumb && (wanted.registersMarkThumb ?? wanted.marksThumb);
      registers[0] = target.address + (marked ? 1 : 0);
      sinceCheckpoint = 0;
    }
    const address = indirect ? [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255] : [];
    const bytes = [...address, message | (checkpointed ? 0x40 : 0)];
    written.push({ bytes, checkpointed, ran, ...what, ...(target !== undefined && { target: target.address }) });
    length += bytes.length;
    sinceCheckpoint += bytes.length;
    ran = [];
    count = 0;
  };

  if (wanted.fromDebugger) put(0x90, start, true, { kind: 'debugger' });
  for (const event of events) {
    // A buffer that does not wrap stops while an indirect branch and an exception still fit.
    if (wanted.mode === 'fill' && length > BUFFER - 6) break;
    if (event.what === 'exception') {
      if (event.line !== undefined) ran.push(event.line);
      const kind = event.vector >= 0x18 ? 'interrupt' : 'exception';
      put((event.vector << 2) | count, undefined, false, { kind, vector: event.vector });
      continue;
    }
    const { to } = event;
    if (wanted.wholeCalls === true && event.line.does.way === 'on' && event.line.does.half === true) {
      half = event.line;
      continue;
    }
    const line = half === undefined ? event.line : { ...event.line, address: half.address };
    half = undefined;
    ran.push(line);
    if (to !== undefined && line.does.way !== 'swi' && line.does.way !== 'undefined' && line.does.way !== 'on') {
      const indirect = line.does.way === 'indirect';
      put((indirect ? 0x90 : 0x80) | count, to, indirect, { kind: line.does.kind, source: line.address });
    } else if (++count === 16) {
      put(ROLL_OVER, undefined, false, { kind: 'none' });
    }
  }

  const all = written.flatMap(({ bytes }) => bytes);
  const buffer = new Uint8Array(BUFFER);
  const held = all.slice(-BUFFER);
  buffer.set(held, BUFFER - held.length);
  let lost = all.length - held.length;
  const kept: (Written & { readonly whole: boolean })[] = [];
  for (const entry of written) {
    if (lost < entry.bytes.length) kept.push({ ...entry, whole: lost <= 0 });
    lost -= entry.bytes.length;
  }
  let younger = kept.filter(({ checkpointed }) => checkpointed).length;
  const entries = kept.map(({ bytes, checkpointed, whole, ...entry }): TrueEntry => {
    if (checkpointed) younger--;
    const known = (bytes.length === 5 && whole) || (checkpointed && younger < 2);
    return { ...entry, known, wrapped: all.length > BUFFER };
  });
  return { buffer, checkpoints: registers, entries };
}
