/**
 * Lines that damage joined to the next line. A part whose value, name or word is lost makes its register or its bytes unknown, every part
 * reads the same from its own bytes alone, and no part takes its value from the time of the next record.
 */
import { describe, expect, test } from 'vitest';
import type { Decoder } from '../../shared/format/format.ts';
import type { Dialect } from '../../shared/formats/tarmac/line/line.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import { decodeAll } from '../laws/drive.ts';
import { columns } from '../laws/same.ts';

/** The bytes of a record, and what it sets: `r3=?` and `0x20000010=?` if it is unknown; its kind if it sets nothing. */
type Part = readonly [bytes: string, sets: string];

/** A decoder's dialect, the lines before the damaged one, and the parts of the damaged line. */
type Case = readonly [name: string, dialect: Dialect, before: string, parts: readonly Part[]];

const NEXT: Part = ['12345678 clk 0 IT (12345678) 00008068 e59f0060 A svc_s : LDR r0,[pc,#0x60]\n', 'instruction'];
const CALL = '501 clk cpu0 IT (3) 002105d8 940000f8 O EL3h_s : BL k ';
const MOVE: Part = ['502 clk cpu0 IT (4) 002105dc d2800000 O EL3h_s : MOV X0,#0\n', 'instruction'];
const STORE = '  7 tic ST 000ffb80  0002077c 000ffb98 ........ ........  S:00000ffb80  NM\n';
const STEP: Part = ['8 tic ES (00000004:e59ff018) A svc: LDR pc,{pc}+0x20\n', 'instruction'];

describe('a joined line', () => {
  test.each<Case>([
    ['that lost a value', 'qemu4v', '', [['53 clk R r3 ', 'r3=?'], NEXT]],
    ['that lost the data of a write', 'qemu4v', '', [['53 clk MW4 20000010 ', '0x20000010=?'], NEXT]],
    ['that lost a value behind a damaged word', 'qemu4v', '', [['53 clk ? r3 ', 'r3=?'], NEXT]],
    ['that lost name and value', 'qemu4v', '', [['53 clk R ', '*=?'], NEXT]],
    [
      'with a register in place of the time',
      'gem5',
      '',
      [
        [CALL, 'instruction'],
        ['R X30 ', 'X30=?'],
        [MOVE[0].replace('502', '00000000502'), 'instruction'],
      ],
    ],
    ['with a damaged value', 'gem5', '', [[CALL, 'instruction'], ['R X30 ?000 ', 'X30=?'], MOVE]],
    ['with a damaged value and a time', 'gem5', '', [[CALL, 'instruction'], ['501 clk R X30 ?000 ', 'X30=?'], MOVE]],
    ['with a damaged name', 'gem5', '', [[CALL, 'instruction'], ['R X?0 ', '*=?'], MOVE]],
    [
      'with a value at its end',
      'gem5',
      '',
      [
        [CALL, 'instruction'],
        ['R X30 00?\n', 'X30=?'],
      ],
    ],
    [
      'with nothing before the time but R',
      'rtl',
      '',
      [
        ['R   ', '*=?'],
        ['17 us MW4_D 002047f8 00000000\n', '0x2047f8=0x0'],
      ],
    ],
    [
      'with a damaged start and an instruction',
      'qemu4v',
      '',
      [['5? clk 0 IT 54 clk 0 IT (54) 00008068 e59f0060 A svc_s : MOV 55 clk R r0 00000005\n', 'r0=0x5']],
    ],
    ['that lost the bytes of a store', 'es', '', [['  7 tic ST 000ffb80 ', '0xffb80=?'], STEP]],
    ['that lost the bytes of a continued store', 'es', STORE, [['    000ffb90 ', '0xffb90=?'], STEP]],
  ])('%s', (_name, dialect, before, parts) => {
    const decoder = open(dialect);
    const bytes = new TextEncoder().encode(before + parts.map(([text]) => text).join(''));
    // `decodeAll` compares each record's columns with its description.
    const whole = decodeAll(decoder, bytes, { describe: () => true });
    const found = whole.records
      .filter(({ start }) => start >= before.length)
      .map(({ start, end, kind, address, fields }) => {
        const name = kind === 'write' ? address : fields?.register;
        const text = new TextDecoder().decode(bytes.subarray(start, end));
        return [text, name === undefined ? kind : `${name}=${fields?.value ?? '?'}`];
      });
    expect(found).toEqual(parts);
    for (let blockBytes = 1; blockBytes < bytes.length; blockBytes++) {
      const inBlocks = decodeAll(decoder, bytes, { blockBytes, batchRecords: 1, guess: () => decoder.initial });
      expect(columns(inBlocks)).toEqual(columns(whole));
    }
  });
});

test('a sentence that begins with R is text', () => {
  const bytes = new TextEncoder().encode('R is short for register\n');
  expect(decodeAll(open('rtl'), bytes).records.map(({ kind }) => kind)).toEqual(['other']);
});

test('a time of eight digits after a store continues nothing', () => {
  const bytes = new TextEncoder().encode(`${STORE}  12345678 tic ES (00000000:--------) A svc:\n`);
  const [, event] = decodeAll(open('es'), bytes, { describe: () => true }).records;
  expect(event).toMatchObject({ kind: 'event', time: 12345678 });
});

test('a line that could continue a store, but follows none, is described as decoded', () => {
  const text = '   000ffb90 00000000 00000007 ........ ........   ST 000ffb20 00000001 ........ ........ ........\n';
  const [store] = decodeAll(open('es'), new TextEncoder().encode(text), { describe: () => true }).records;
  expect(store).toMatchObject({ kind: 'write', address: '0xffb2c', fields: { address: '0xffb2c' } });
});

function open(dialect: Dialect): Decoder {
  const opened = tarmac.open({ dialect });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
