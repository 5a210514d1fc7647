/**
 * Intel XScale trace buffers: the branches and exceptions that the core recorded in its buffer of 256 bytes.
 *
 * One message with its address bytes is one record, in order of time (docs/formats/xscale.md has the sources):
 *
 *     00 00 80 00 90   1001 0000: indirect branch after 0 instructions, to 0x8000
 *     83               1000 0011: direct branch after 3 instructions
 *     ff               16 instructions, the last of which is not a branch
 *     22               0010 0010: exception with the vector 2, a software interrupt, after 2 instructions
 *
 * Targets of direct branches and the instructions between branches need the program image: electron/engine/flow/captures follows them.
 */
import type { Batch } from '../../records/batch.ts';
import type { Decoder, Format, Framing, Settings, State, Window } from '../../format/format.ts';
import { ok, type Result } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { nativeName } from '../../xscale/messages.ts';
import type { Container } from './capture.ts';
import { createCondenser } from './condense.ts';
import { alignCapture, createDecode, INITIAL, stateOf } from './decode.ts';
import { describeEntry, entrySpans, wordsKeys } from './describe.ts';
import { rawContainer, wordContainer, type Endian } from './fixed.ts';
import { createXscaleFlow } from './flow.ts';
import { hexContainer } from './hex.ts';
import { messageByteOf } from './message-byte.ts';
import { openocdContainer } from './openocd.ts';
import { DIALECTS, OPTIONS, readChoices, type Dialect } from './options.ts';
import { WEIGHED } from './slip.ts';
import { sniffXscale } from './sniff.ts';

export const xscale: Format = {
  id: 'xscale',
  slices: { never: 'a trace buffer is read as a whole, newest message first' },
  name: 'Intel XScale trace buffer',
  dialects: DIALECTS,
  processor: 'arm',
  extensions: ['bin', 'xscale', 'openocd', 'dump', 'trc'],
  options: OPTIONS,
  branches: { as: 'messages', followed: true },
  sniff: sniffXscale,
  open: openXscale,
  diagnostics: {
    'reserved-message': 'The byte is no message of the trace buffer (upper half A, B or E); it is kept as RESERVED.',
    'broken-roll-over': 'The byte begins like a roll-over but its low half is not F; it is kept as RESERVED.',
    'reset-message': 'The byte names the reset vector, which is never traced; it is kept as RESERVED.',
    'reserved-vector': 'The byte names exception vector 5, which ARM does not have; it is kept as RESERVED.',
    'no-last-message':
      'The last byte of the buffer is no message, so its entries cannot be separated; it is kept as one record.',
    'reversed-buffer':
      'The buffer ends in zeros and begins with a message: its bytes seem to be stored newest first; store them in the order in which they were read.',
    'phase-slip':
      'Bytes are missing or surplus: the buffers continue at another offset, and the bytes before it are left out.',
    'cut-buffer': 'The file ends inside a buffer, whose entries can only be read from its end; its bytes are left out.',
    'surplus-checkpoint':
      'More than two entries are checkpointed; the newest two own the checkpoint registers, so the target of this one is lost.',
    'checkpoint-differs':
      'The checkpoint register holds another address than the entry it belongs to; the entry counts.',
    'high-bits': 'A word has bits where it can only have zeros, around the byte of the trace buffer; they are ignored.',
    'entry-type':
      'OpenOCD marks a byte of an address as a message, or a message as a byte of an address; the bytes count.',
    'bad-depth':
      'The number of entries of this OpenOCD dump is not 1 to 256; the bytes up to the next dump are left out.',
    'no-such-capture':
      'The option capture names a buffer that the file does not have, so nothing is read; the first buffer is 0.',
    'left-out-lines':
      'The dump leaves out lines that equal the previous one, and their number is not known: print all lines (hexdump -v, od -v).',
    'unknown-text': 'The word is no byte in hexadecimal digits; it is left out.',
  },
};

function openXscale(given: Settings): Result<Decoder> {
  const settings = completeSettings(xscale, given);
  if (!settings.ok) return settings;
  const choices = readChoices(settings.value);
  if (!choices.ok) return choices;
  const dialect = dialectOf(settings.value['dialect']);
  const endian = endianOf(settings.value['endian']);
  const container = containerOf(dialect, endian);
  const { unit } = container;
  const decode = createDecode(container, choices.value);
  const messageByte = messageByteOf(dialect, endian);
  const sideBySide = dialect === 'raw' || dialect === 'checkpoints';
  const condense = sideBySide ? createCondenser(container, choices.value) : undefined;
  const framing: Framing =
    unit > 0
      ? {
          kind: 'units',
          bytes: unit,
          lookahead: (WEIGHED + 1) * unit,
          align: (offset, state) => alignCapture(unit, offset, stateOf(state)),
        }
      : { kind: 'whole' };
  return ok({
    format: xscale,
    framing,
    valuedKinds: [],
    dialect,
    settings: settings.value,
    initial: INITIAL,
    decode: (window, state, batch) => decode(window, stateOf(state), batch),
    ...(condense !== undefined && {
      condense: (window: Window, state: State, batch: Batch, most?: number): State | undefined =>
        condense(window, stateOf(state), batch, most),
    }),
    describe: (bytes, batch, index) => describeEntry({ dialect, endian }, bytes, batch, index),
    wordsKeys: (window, batch, from, to, keys) => {
      wordsKeys(messageByte, window, batch, from, to, keys);
    },
    fields: (bytes, batch, index) => entrySpans({ dialect, endian }, bytes, batch, index),
    nativeName,
    flow: createXscaleFlow(messageByte),
  });
}

function dialectOf(name: string | undefined): Dialect {
  return DIALECTS.find((dialect) => dialect === name) ?? 'raw';
}

function endianOf(name: string | undefined): Endian {
  return name === 'big' || name === 'little' ? name : 'auto';
}

function containerOf(dialect: Dialect, endian: Endian): Container {
  switch (dialect) {
    case 'raw':
      return rawContainer(false, endian);
    case 'checkpoints':
      return rawContainer(true, endian);
    case 'words':
      return wordContainer(false, endian);
    case 'words-checkpoints':
      return wordContainer(true, endian);
    case 'openocd':
      return openocdContainer();
    case 'hex':
      return hexContainer();
  }
}
