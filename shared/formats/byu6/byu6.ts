/**
 * BYU Trace Distribution Center, 6-byte Pentium bus records: the requests of a processor to its bus.
 *
 * One record is one bus request. docs/formats/byu6.md lists the sources, also for what the format's own description leaves out.
 *
 *     00 10 07 c8  fc  d0
 *     |            |   |
 *     |            |   control 1101 xxxx: pins M/IO# D/C# W/R# CACHE#, a non-cacheable data read; the low half is unassigned
 *     |            byte enables BE7#..BE0# 1111 1100: a zero requests a byte, here bytes 0 and 1 of the eight
 *     physical address, big endian, always a multiple of 8: pins A31..A3
 *
 * means: 2 bytes read at 0x1007c8. The format's sample program prints this record as `001007c8 fc NC_D_READ`, which is the dialect
 * `ascii`. Records do not contain what is not on those pins: data, time, processor, the length of a line fill, and for branch trace
 * messages the low four address bits and the role (source or target). Neighbouring records suggest some of it, which only sets marks.
 */
import type { Decoder, Format, Settings, State } from '../../format/format.ts';
import { LINE_DIAGNOSTICS } from '../../format/lines.ts';
import { assert, ok } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { createCondenser } from './condense.ts';
import { UNIT } from './cycles.ts';
import { type Byu6State, countPlainRecords, decodeRecords, LOOKAHEAD, placeBefore } from './decode.ts';
import { BYU6_FLOW } from './flow.ts';
import { describeRecord, nativeName, recordSpans, wordsKeys } from './describe.ts';
import { BEHIND } from './neighbours.ts';
import { sniff } from './sniff.ts';
import { decodeText, describeLine, lineSpans, textNativeName } from './text.ts';
import { alignUnit } from '../../format/units.ts';

export const byu6: Format = {
  id: 'byu6',
  name: 'BYU 6-byte Pentium address trace',
  dialects: ['binary', 'ascii'],
  processor: 'x86',
  extensions: ['byu', 'trc', 'bin', 'txt'],
  options: [
    {
      name: 'dialect',
      values: ['binary', 'ascii'],
      default: 'binary',
      text: "Form of the records: six bytes each, or the lines that the format's sample program prints",
    },
    {
      name: 'endian',
      values: ['auto', 'big', 'little'],
      default: 'auto',
      text: "Byte order of the address field: big is the format's own order; little is for swapped files and for lines printed on an x86; auto decides by content",
    },
  ],
  sniff,
  open(settings) {
    const complete = completeSettings(byu6, settings);
    if (!complete.ok) return complete;
    const little = complete.value['endian'] === 'little';
    return ok(complete.value['dialect'] === 'ascii' ? createTextDecoder(little) : createDecoder(little));
  },
  diagnostics: {
    ...LINE_DIAGNOSTICS,
    'invalid-control':
      'The control byte is not a valid bus cycle (upper half 0, 2, 4, 6, 10 or 11); the record is kept as INVALID.',
    'misaligned-address':
      'The address is not a multiple of 8, although pins A2..A0 do not exist; the low three bits are ignored.',
    'no-byte-enabled':
      'All byte enables are off (FF), so the request is for no byte; it is kept at its address with size 0.',
    'split-byte-enables':
      'The enabled bytes are not adjacent; the access is shown from the lowest to the highest of them.',
    'unknown-special': 'The byte enables of a special bus cycle match no cycle of the Pentium.',
    'phase-slip':
      'Bytes are missing or surplus here: the records continue at another offset, and the bytes in between are skipped.',
    'byte-swapped':
      'The records only make sense in the other byte order: open the file with the other value of the option endian.',
    'twelve-bytes': 'The records look like 12-byte records: open the file with the format byu12.',
    'cut-record': 'The file ends inside a record: its length is not a multiple of 6.',
  },
};

function stateOf(state: State): Byu6State {
  const { phase, searched } = state;
  assert(phase !== undefined && searched !== undefined, 'a byu6 state has phase and searched');
  return { phase, searched };
}

function settingsOf(dialect: string, little: boolean): Settings {
  return { dialect, endian: little ? 'little' : 'big' };
}

function createDecoder(little: boolean): Decoder {
  const condense = createCondenser();
  return {
    format: byu6,
    framing: {
      kind: 'units',
      bytes: UNIT,
      lookahead: LOOKAHEAD,
      lookbehind: BEHIND,
      align: (offset, state) => alignUnit(offset, stateOf(state).phase, UNIT),
    },
    valuedKinds: [],
    neverAborts: true,
    dialect: 'binary',
    settings: settingsOf('binary', little),
    initial: { phase: 0, searched: 0 },
    decode: (window, state, batch) => decodeRecords(window, stateOf(state), batch, little),
    condense: (window, state, batch, most) =>
      condense(window, batch, little, most) ? { ...state, searched: 0 } : undefined,
    countPlain: (window, state, records, cells) => countPlainRecords(window, stateOf(state), records, cells, little),
    placeBefore: (position, state) => placeBefore(position, stateOf(state)),
    describe: (bytes, batch, index) => describeRecord(bytes, batch, index, little),
    wordsKeys: (_, batch, from, to, keys) => {
      wordsKeys(batch, from, to, keys);
    },
    fields: (bytes, batch, index) => recordSpans(bytes, batch, index, little),
    nativeName,
    flow: BYU6_FLOW,
  };
}

/** Each line contains its whole record, so the state is empty. */
function createTextDecoder(little: boolean): Decoder {
  return {
    format: byu6,
    framing: { kind: 'lines' },
    valuedKinds: [],
    neverAborts: true,
    dialect: 'ascii',
    settings: settingsOf('ascii', little),
    initial: {},
    decode(window, state, batch) {
      decodeText(window, batch, little);
      return state;
    },
    describe: (bytes, batch, index) => describeLine(bytes, batch, index, little),
    fields: (bytes, batch, index) => lineSpans(bytes, batch, index, little),
    nativeName: textNativeName,
  };
}
