/**
 * Captures of a Pentium bus by a logic analyser: bus cycles, and the branch trace messages among them.
 *
 * One record is one bus cycle (docs/formats/btm.md, which also lists the sources). In text it is a row below a header:
 *
 *     time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]
 *     95455,0,0,1,DF,00100668,524E6465F8ACC2CC
 *
 * Pins 0 0 1 with byte enables DF are a branch trace message. D59 is 0, so this is the first of its two cycles and contains the target:
 * A31-A4 followed by D63-D60 make 0x100665, and A3 = 1 means 32-bit operands. The next message of this processor is a second cycle. It
 * completes a branch from its own address to 0x100665. Without a column for it, the processor of a cycle is unknown. The target of a fast
 * message is never inferred from the next cycle.
 */
import type { Decoder, Format, Settings } from '../../format/format.ts';
import { LINE_DIAGNOSTICS } from '../../format/lines.ts';
import { ok, type Result } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { UNIT } from './binary-likely.ts';
import { alignUnits, decodeBinary, INITIAL_BINARY, LOOKAHEAD } from './binary.ts';
import { type Layout, layoutOf } from './columns.ts';
import { nativeName, VALUED_KINDS } from './cycles.ts';
import { describeLine, describeUnit, lineSpans, unitSpans, wordsKeys } from './describe.ts';
import type { Rules } from './pairing.ts';
import { createBtmFlow } from './flow.ts';
import { sniff } from './sniff.ts';
import { canCountPlain, countPlainRows } from './count-plain.ts';
import { decodeText, initialState, isAmongRows } from './text.ts';

/** Header assumed for files without a header row. */
const USUAL_HEADER = 'time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]';

export const btm: Format = {
  id: 'btm',
  name: 'Pentium bus capture with branch trace messages',
  dialects: ['text', 'binary'],
  processor: 'x86',
  extensions: ['csv', 'tsv', 'txt', 'btm'],
  options: [
    {
      name: 'dialect',
      values: ['text', 'binary'],
      default: 'text',
      text: 'Form of the capture: rows of text below a header, or binary records of 16 bytes',
    },
    {
      name: 'vendor',
      values: ['intel', 'k5'],
      default: 'intel',
      text: 'Layout of the branch trace messages: that of the Pentium or of the AMD-K5',
    },
    {
      name: 'mode',
      values: ['auto', 'normal', 'fast'],
      default: 'auto',
      text: 'Meaning of a second cycle without a first: a normal message that lost its first cycle (normal), a fast message (fast), or decided by the messages around it (auto)',
      autoReads: true,
    },
    {
      name: 'processors',
      values: ['one', 'two'],
      default: 'one',
      text: 'Number of processors that drive the bus, if no column shows which one does',
    },
    {
      name: 'columns',
      values: [],
      default: '',
      text: 'Columns of signals that the titles do not identify: NAME:COLUMN,.. where NAME is one of time, m/io, d/c, w/r, be, a, d, cpu, d/p, cache, brdy, and COLUMN is a title or a number from 1',
    },
    {
      name: 'header',
      values: [],
      default: '',
      text: `The header row with its separators; detection finds it in the file, and a file without one is assumed to have ${USUAL_HEADER}`,
    },
    {
      name: 'shift',
      values: ['0', '3', '4'],
      default: '0',
      text: 'Number of bits by which the address column is shifted right; 0 if A3 is its bit 3',
    },
    {
      name: 'digits',
      values: ['any', 'all'],
      default: 'any',
      text: 'Digits in a cell with byte enables, address or data: those of the whole signal, so that a cell with another number is damaged (all), or fewer, because leading zeros may be missing (any)',
    },
    {
      name: 'unit',
      values: ['auto', 's', 'ms', 'us', 'ns', 'ps'],
      default: 'auto',
      text: 'Unit of times without a unit of their own; auto takes the unit in the title of the column, or ns if there is none',
    },
    {
      name: 'rows',
      values: ['cycles', 'clocks'],
      default: 'cycles',
      text: 'What a row is: a bus cycle, or a clock, in which case a row that repeats the previous one is not a new cycle',
    },
  ],
  timeUnit: 'ns',
  branches: { as: 'messages', unclassified: true, pentium: true },
  // Lines that are no whole rows are records only below a row.
  slices: { neverFirst: (native, marks) => native === 'OTHER' || marks.includes('value-lost') },
  sniff,
  open,
  diagnostics: {
    ...LINE_DIAGNOSTICS,
    'lost-value':
      'A cell of an access cannot be read, or the line is a damaged row; the bytes of the access are unknown after it.',
    'lost-address':
      'The line or binary record may be a write whose address cannot be read; bytes that it changed are shown with their older values.',
    'other-layout':
      'A header row with other columns, or a line below it, is kept as text; save that part as a separate file and open it.',
    'no-header-row': `The file has no header row, so its columns are assumed to be ${USUAL_HEADER}; set the right header row with the option header.`,
    'no-rows':
      'No line of the file is a row below the header; describe the columns with the options header and columns, or read binary records with dialect=binary.',
    'first-without-second':
      'The first cycle of a branch trace message is followed by another first cycle: its second cycle is missing from the capture.',
    'second-without-first':
      'The second cycle of a branch trace message has no first cycle, or fast messages begin here: the other end of the branch is unknown.',
    interleaved:
      'Two first cycles are followed by two second cycles: two processors share the bus and cannot be distinguished; open the file with processors=two.',
    'message-without-data':
      'A branch trace message has no data bus, so its low address bits, and whether it is the first or the second cycle, are unknown.',
    'data-not-captured':
      'There are sixteen first cycles of branch trace messages without a second one: D59 was probably not captured.',
    'cpu-range': 'Messages of processors above 3 are not paired.',
    'reserved-cycle': 'The definition pins have a combination that Intel reserves; the record is kept as RESERVED.',
    'no-byte-enabled':
      'All byte enables are off (FF), so the cycle requests no byte; it is kept at its address with size 0.',
    'split-byte-enables':
      'The enabled bytes are not adjacent; the access is shown from the lowest to the highest of them.',
    'unknown-special': 'The byte enables of a special bus cycle match no cycle of the Pentium.',
    'no-header': 'The binary file does not begin with its 16-byte header.',
    'reserved-bits': 'A binary record has bits set that must be 0; the value of its access is unknown.',
    'phase-slip':
      'Bytes are missing or surplus here: the binary records continue at another offset. The bytes in between are skipped, and bytes that a lost write changed are shown with their older values.',
    'cut-record': 'The file ends inside a record: its length is not a multiple of 16.',
  },
};

/** Number of bytes before a block that most likely contain a message, so that decoding them shows what is pending at its start. */
const WARM_UP = 64 * 1024;

function open(given: Settings): Result<Decoder> {
  const settings = completeSettings(btm, given);
  if (!settings.ok) return settings;
  if (settings.value['dialect'] === 'binary')
    return ok(
      binaryDecoder(settings.value, { ...rulesOf(settings.value), noA3: false, messageData: true, clocks: false }),
    );
  const { header, columns, shift, unit } = settings.value;
  const assumed = header === '';
  const layout = layoutOf(assumed ? USUAL_HEADER : header!, columns!, Number(shift), unit!);
  if (!layout.ok) return layout;
  const { digits, exactDigits } = layout.value;
  const least = settings.value['digits'] === 'all' ? digits : exactDigits;
  return ok(textDecoder(settings.value, { ...layout.value, assumed, exactDigits: least }));
}

function rulesOf({ vendor, mode, processors }: Settings): Pick<Rules, 'k5' | 'mode' | 'two'> {
  return {
    k5: vendor === 'k5',
    mode: mode === 'normal' || mode === 'fast' ? mode : 'auto',
    two: processors === 'two',
  };
}

/** Bits of the data bus that messages use: D63-D59 for Intel, D31-D0 for the K5. */
const MESSAGE_BITS = 0x1fn << 59n;
const K5_MESSAGE_BITS = 0xffff_ffffn;

function textDecoder(settings: Settings, layout: Layout): Decoder {
  const base = rulesOf(settings);
  const { dataBits, lowestPin } = layout;
  const message = base.k5 ? K5_MESSAGE_BITS : MESSAGE_BITS;
  const rules: Rules = {
    ...base,
    noA3: lowestPin > 3,
    messageData: (dataBits & message) === message,
    clocks: settings['rows'] === 'clocks',
  };
  return {
    format: btm,
    framing: { kind: 'lines' },
    dialect: 'text',
    settings,
    timeUnit: layout.timeUnit,
    neverAborts: true,
    valuedKinds: VALUED_KINDS,
    initial: initialState(rules),
    warmUp: WARM_UP,
    decode: (window, state, batch) => decodeText(window, state, batch, layout, rules),
    ...(canCountPlain(layout, rules) && {
      countPlain: (window, state, records, cells) => ({
        records: isAmongRows(state) ? countPlainRows(window, records, cells, layout) : 0,
        state,
      }),
    }),
    marksParts: true,
    describe: (bytes, batch, index) => describeLine(bytes, batch, index, layout, rules),
    wordsKeys: (_, batch, from, to, keys) => {
      wordsKeys(batch, from, to, rules, keys);
    },
    fields: (bytes, batch, index) => lineSpans(bytes, batch, index, layout, rules),
    nativeName,
    flow: createBtmFlow(rules.k5),
  };
}

function binaryDecoder(settings: Settings, rules: Rules): Decoder {
  return {
    format: btm,
    framing: { kind: 'units', bytes: UNIT, lookahead: LOOKAHEAD, align: alignUnits },
    dialect: 'binary',
    settings,
    neverAborts: true,
    valuedKinds: VALUED_KINDS,
    initial: INITIAL_BINARY,
    warmUp: WARM_UP,
    decode: (window, state, batch) => decodeBinary(window, state, batch, rules),
    describe: (bytes, batch, index) => describeUnit(bytes, batch, index, rules),
    wordsKeys: (_, batch, from, to, keys) => {
      wordsKeys(batch, from, to, rules, keys);
    },
    fields: (bytes, batch, index) => unitSpans(bytes, batch, index, rules),
    nativeName,
    flow: createBtmFlow(rules.k5),
  };
}
