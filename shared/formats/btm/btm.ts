/**
 * Captures of a Pentium bus by a logic analyser, with the branch trace messages in them: what did the processor ask of its
 * bus, and where did it branch?
 *
 * One record is one bus cycle (docs/formats/btm.md, which also names the sources). As text it is a row under a header:
 *
 *     time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]
 *     95455,0,0,1,DF,00100668,524E6465F8ACC2CC
 *
 * Pins 0 0 1 with byte enables DF are a branch trace message; D59 is 0, so this is the first of its two cycles and the address
 * that of the target: A31-A4 with D63-D60 below, 0x100665, with A3 = 1 for 32-bit operands. The next message of this processor
 * is a second cycle and completes a branch from its own address to 0x100665. It refuses to know which processor drove a cycle
 * where no column tells, and never takes a fast message's target from what comes next.
 */
import type { Decoder, Format, Settings } from '../../format/format.ts';
import { LINE_DIAGNOSTICS } from '../../format/lines.ts';
import { ok, type Result } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { UNIT } from './binary-likely.ts';
import { alignUnits, decodeBinary, INITIAL_BINARY, LOOKAHEAD } from './binary.ts';
import { layoutOf, type Layout } from './columns.ts';
import { nativeName, VALUED_KINDS } from './cycles.ts';
import { describeLine, describeUnit, lineSpans, unitSpans, wordsKeys } from './describe.ts';
import type { Rules } from './pairing.ts';
import { createBtmFlow } from './flow.ts';
import { sniff } from './sniff.ts';
import { decodeText, initialState } from './text.ts';

/** Columns of a file that names none. */
const USUAL_HEADER = 'time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]';

export const btm: Format = {
  id: 'btm',
  name: 'Pentium bus capture with branch trace messages',
  dialects: ['text', 'binary'],
  extensions: ['csv', 'tsv', 'txt', 'btm'],
  options: [
    {
      name: 'dialect',
      values: ['text', 'binary'],
      default: 'text',
      text: 'Rows of text under a header, or records of 16 bytes',
    },
    {
      name: 'vendor',
      values: ['intel', 'k5'],
      default: 'intel',
      text: 'Whose layout the branch trace messages have: the Pentium or the AMD-K5',
    },
    {
      name: 'mode',
      values: ['auto', 'normal', 'fast'],
      default: 'auto',
      text: 'What a second cycle without a first is: a normal message that lost its first, a fast one, or what the messages around it say',
      autoReads: true,
    },
    {
      name: 'processors',
      values: ['one', 'two'],
      default: 'one',
      text: 'How many processors drive the bus, where no column tells which one does',
    },
    {
      name: 'columns',
      values: [],
      default: '',
      text: 'Which column is which signal, where the titles do not say: NAME:COLUMN,.. with NAME one of time, m/io, d/c, w/r, be, a, d, cpu, d/p, cache, brdy and COLUMN a title or a number from 1',
    },
    {
      name: 'header',
      values: [],
      default: '',
      text: `The header row, separators included; detection finds it in the file, and one without is taken to have ${USUAL_HEADER}`,
    },
    {
      name: 'shift',
      values: ['0', '3', '4'],
      default: '0',
      text: 'How far the address column is shifted right: 0 where A3 is its bit 3',
    },
    {
      name: 'unit',
      values: ['auto', 's', 'ms', 'us', 'ns', 'ps'],
      default: 'auto',
      text: 'Unit of times whose cells name none; auto: the one in the title of the column, and ns where there is none',
    },
    {
      name: 'rows',
      values: ['cycles', 'clocks'],
      default: 'cycles',
      text: 'Whether each row is a cycle, or each clock: a row that repeats the one before is then no cycle of its own',
    },
  ],
  timeUnit: 'ns',
  branches: { as: 'messages', unclassified: true, pentium: true },
  sniff,
  open,
  diagnostics: {
    ...LINE_DIAGNOSTICS,
    'other-layout':
      'A header row with other columns, or a line below one: it is kept as text; open that part as a file of its own.',
    'no-header-row': `No header row names the columns: they are taken to be ${USUAL_HEADER}; give the row that the file should have with the option header.`,
    'no-rows':
      'No line of the file is a row under the header; name the columns with the options header and columns, or read records of 16 bytes with dialect=binary.',
    'first-without-second':
      'The first cycle of a branch trace message is followed by another first one: its second cycle is not in the capture.',
    'second-without-first':
      'The second cycle of a branch trace message has no first one, or fast messages begin here: its other end is unknown.',
    interleaved:
      'Two first cycles are followed by two second ones: two processors share the bus and nothing tells them apart; open the file with processors=two.',
    'message-without-data':
      'The data bus of a branch trace message is missing, and with it the low address bits and which of its two cycles it is.',
    'data-not-captured':
      'Sixteen first cycles of branch trace messages without any second one: D59 looks as if it was not captured.',
    'cpu-range': 'Messages of processors above 3 are not paired.',
    'reserved-cycle': 'The definition pins have a combination that Intel reserves; the record is kept as RESERVED.',
    'no-byte-enabled':
      'All byte enables are off (FF), so the cycle asks for no byte; it is kept at its address with size 0.',
    'split-byte-enables':
      'The enabled bytes are not neighbours; the access is shown from the lowest to the highest of them.',
    'unknown-special': 'The byte enables of a special bus cycle name no cycle of the Pentium.',
    'no-header': 'The binary file does not begin with its mark of sixteen bytes.',
    'reserved-bits': 'Bits of a binary record that must be 0 are not.',
    'phase-slip':
      'Bytes are missing or surplus: the binary records go on at another phase, and the bytes between are left out.',
    'cut-record': 'The file ends inside a record: its length is not a multiple of 16.',
  },
};

/** Bytes before a block in which some messages lie, so that whoever decodes them knows what is pending at its start. */
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
  return layout.ok ? ok(textDecoder(settings.value, { ...layout.value, assumed })) : layout;
}

function rulesOf({ vendor, mode, processors }: Settings): Pick<Rules, 'k5' | 'mode' | 'two'> {
  return {
    k5: vendor === 'k5',
    mode: mode === 'normal' || mode === 'fast' ? mode : 'auto',
    two: processors === 'two',
  };
}

/** What messages have on the data bus: Intel's D63-D59, the K5's D31-D0. */
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
    describe: (bytes, batch, index) => describeLine(bytes, batch, index, layout, rules),
    fields: (bytes, batch, index) => lineSpans(bytes, batch, index, layout, rules),
    nativeName,
    flow: () => createBtmFlow(rules.k5),
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
    wordsKeys: (window, batch, from, to, keys) => {
      wordsKeys(window, batch, { from, to }, rules, keys);
    },
    fields: (bytes, batch, index) => unitSpans(bytes, batch, index, rules),
    nativeName,
    flow: () => createBtmFlow(rules.k5),
  };
}
