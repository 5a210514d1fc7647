/** Describes one record of a branch stack as fields and as named bytes. Reads the record's bytes again. */
import { type Batch, FLAG, NO_CPU } from '../../records/batch.ts';
import { latin1 } from '../../base/bytes.ts';
import { afterMark } from '../../base/characters.ts';
import { describeText, textSpans, trimLineEnd } from '../../format/lines.ts';
import { type FieldSpan, KIND, kindName, type RecordFields } from '../../records/record.ts';
import { joinAddress, toHex, toWireTime, type WireTime } from '../../base/units.ts';
import { utf8 } from '../../base/utf8.ts';
import { findToken, FIRST, MOST_PLACES, PLACE_SHIFT } from './decode.ts';
import { createHead, exactTime, readHead, recordAt } from './head.ts';
import { createToken } from './token.ts';
import { BRANCH, nativeName, SAMPLE } from './codes.ts';

const token = createToken();
const head = createHead();

export function describe(bytes: Uint8Array, batch: Batch, index: number): RecordFields {
  const native = batch.native[index]!;
  if (batch.kind[index] !== KIND.branch) return describeLine(bytes, batch, index);
  const mark = batch.flags[index]!;
  const cpu = batch.cpu[index]!;
  const to = trimLineEnd(bytes, 0, bytes.length);
  const at = findToken(bytes, 0, to, token);
  readHead(bytes, 0, at, head);
  const source = toHex(joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!));
  const target = toHex(joinAddress(batch.targetLow[index]!, batch.targetHigh[index]!));
  const text = [utf8(bytes.subarray(0, at)).trim(), files(bytes)].filter((part) => part !== '').join(' ');
  return {
    ...((mark & FIRST) !== 0 ? timeOf(bytes) : {}),
    ...(cpu === NO_CPU ? {} : { cpu }),
    kind: kindName(batch.kind[index]),
    native: nativeName(native),
    ...((mark & FLAG.address) === 0 ? {} : { address: source, source }),
    ...((mark & FLAG.target) === 0 ? {} : { target }),
    ...(text === '' ? {} : { text }),
    flags: marks(bytes, native, mark),
  };
}

function describeLine(bytes: Uint8Array, batch: Batch, index: number): RecordFields {
  const native = batch.native[index]!;
  const fields = describeText(bytes, batch, index, nativeName(native));
  if (batch.kind[index] !== KIND.event) return fields;
  const to = trimLineEnd(bytes, 0, bytes.length);
  readHead(bytes, 0, native === SAMPLE ? to : recordAt(bytes, afterMark(bytes, 0, to), to), head);
  return { ...timeOf(bytes), ...(head.cpu === NO_CPU ? {} : { cpu: head.cpu }), ...fields };
}

function timeOf(bytes: Uint8Array): { readonly time?: WireTime } {
  return head.timeAt < 0 ? {} : { time: toWireTime(exactTime(bytes, head)) };
}

/** Returns the files of both addresses, if printed. */
function files(bytes: Uint8Array): string {
  const inside = (start: number, end: number): string => utf8(bytes.subarray(start + 1, end - 1));
  const from = token.fromFileEnd > token.fromEnd ? `from ${inside(token.fromEnd, token.fromFileEnd)}` : '';
  const to = token.toFileEnd > token.toEnd ? `to ${inside(token.toEnd, token.toFileEnd)}` : '';
  return [from, to].filter((part) => part !== '').join(' ');
}

function marks(bytes: Uint8Array, native: number, mark: number): readonly string[] {
  const prediction = latin1(bytes.subarray(token.toFileEnd + 1, token.predictionEnd));
  const [transaction, abort] = latin1(bytes.subarray(token.predictionEnd + 1, token.predictionEnd + 4)).split('/');
  const [type = '-', ...rest] = latin1(bytes.subarray(token.typeAt, token.end)).split('/');
  const place = (mark >>> PLACE_SHIFT) & MOST_PLACES;
  return [
    ...((mark & FLAG.malformed) === 0 ? [] : ['malformed']),
    ...((mark & FLAG.cpuAssumed) === 0 ? [] : ['cpu-assumed']),
    'newest-first',
    place === MOST_PLACES ? `${MOST_PLACES}-or-more-newer` : `${place}-newer`,
    ...(prediction.startsWith('P') ? ['predicted'] : prediction.startsWith('M') ? ['mispredicted'] : []),
    ...(prediction.endsWith('N') ? ['not-taken'] : []),
    ...(transaction === 'X' ? ['in-transaction'] : []),
    ...(abort === 'A' ? ['transaction-abort'] : []),
    ...(token.cyclesEnd > token.cyclesAt ? [`cycles-${latin1(bytes.subarray(token.cyclesAt, token.cyclesEnd))}`] : []),
    ...(native === BRANCH && type !== '-' && type !== '' ? [`type-${type}`] : []),
    ...rest.filter((one) => one !== '-' && one !== '').map((one) => one.toLowerCase().replaceAll('_', '-')),
  ];
}

export function fields(bytes: Uint8Array, batch: Batch, index: number): readonly FieldSpan[] {
  if (batch.kind[index] !== KIND.branch) return textSpans(bytes);
  const at = findToken(bytes, 0, trimLineEnd(bytes, 0, bytes.length), token);
  const address = (start: number, end: number): string =>
    latin1(bytes.subarray(start, end)).replace(/^0x0+(?=.)/, '0x');
  const plain = (start: number, end: number): string => utf8(bytes.subarray(start, end));
  const prediction = token.toFileEnd + 1;
  const transaction = token.predictionEnd + 1;
  return [
    { name: 'sample', start: 0, end: at, text: plain(0, at).trim() },
    { name: 'source', start: token.start, end: token.fromEnd, text: address(token.start, token.fromEnd) },
    {
      name: 'source file',
      start: token.fromEnd,
      end: token.fromFileEnd,
      text: plain(token.fromEnd, token.fromFileEnd),
    },
    { name: 'target', start: token.toAt, end: token.toEnd, text: address(token.toAt, token.toEnd) },
    { name: 'target file', start: token.toEnd, end: token.toFileEnd, text: plain(token.toEnd, token.toFileEnd) },
    {
      name: 'prediction',
      start: prediction,
      end: token.predictionEnd,
      text: predictionText(plain(prediction, token.predictionEnd)),
    },
    {
      name: 'transaction',
      start: transaction,
      end: transaction + 1,
      text: plain(transaction, transaction + 1) === 'X' ? 'in a transaction' : 'in no transaction',
    },
    {
      name: 'abort',
      start: transaction + 2,
      end: transaction + 3,
      text: plain(transaction + 2, transaction + 3) === 'A' ? 'the transaction was aborted' : 'no abort',
    },
    {
      name: 'cycles',
      start: token.cyclesAt,
      end: token.cyclesEnd,
      text: `${plain(token.cyclesAt, token.cyclesEnd)} cycles since the previous branch`,
    },
    { name: 'type', start: token.typeAt, end: token.typeEnd, text: plain(token.typeAt, token.typeEnd) },
    {
      name: 'further',
      start: Math.min(token.typeEnd + 1, token.end),
      end: token.end,
      text: plain(Math.min(token.typeEnd + 1, token.end), token.end),
    },
  ].filter(({ start, end }) => start < end);
}

function predictionText(prediction: string): string {
  const taken = prediction.endsWith('N') ? ', not taken' : '';
  if (prediction.startsWith('P')) return `predicted${taken}`;
  return prediction.startsWith('M') ? `mispredicted${taken}` : `prediction not recorded${taken}`;
}
