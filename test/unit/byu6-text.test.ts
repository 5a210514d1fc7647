/** Output of the C program in the format description, compared with the binary records it was printed from. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Decoder } from '../../shared/format/format.ts';
import { byCode } from '../../shared/format/diagnostics.ts';
import { byu6 } from '../../shared/formats/byu6/byu6.ts';
import { decodeAll } from '../laws/drive.ts';
import type { Driven } from '../laws/drive.ts';

/** `op` of that program. */
const OP =
  'INVALID INT_ACK INVALID SPECIAL INVALID IO_READ INVALID IO_WRITE I_FETCH NC_I_FETCH INVALID INVALID D_READ NC_D_READ WRITE_BACK D_WRITE'.split(
    ' ',
  );

/** printf("%08x %02x %s\n", addr, be, op[control>>4]) on a machine of either byte order. */
function print(bytes: Buffer, littleMachine: boolean): string {
  let text = '';
  for (let at = 0; at + 6 <= bytes.length; at += 6) {
    const address = littleMachine ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    const enables = bytes[at + 4]!.toString(16).padStart(2, '0');
    text += `${address.toString(16).padStart(8, '0')} ${enables} ${OP[bytes[at + 5]! >> 4]!}\n`;
  }
  return text;
}

describe.each([
  ['big', false],
  ['little', true],
])('printed on a %s-endian machine', (endian, littleMachine) => {
  test.each(['complete', 'cached', 'every-cycle', 'broken-rules'])('reads %s as the binary file', (name) => {
    const bytes = readFileSync(new URL(`../samples/byu6/${name}/trace.byu`, import.meta.url));
    const fromText = decode(print(bytes, littleMachine), endian);
    const fromBytes = decodeAll(open('binary', 'big'), new Uint8Array(bytes), { describe: () => true });
    expect(plain(fromText)).toEqual(plain(fromBytes));
    const counts = (driven: Driven): readonly string[] =>
      byCode(driven.diagnostics).map((of) => `${of.code} ${of.count}`);
    expect(counts(fromText)).toEqual(counts(fromBytes));
  });
});

test.each([
  ['001007c8 fc NC_D_READ', 'read NC_D_READ 0x1007c8 2'],
  ['001007C8 FC NC_D_READ', 'read NC_D_READ 0x1007c8 2'],
  ['  001007c8\tfc   NC_D_READ  \r', 'read NC_D_READ 0x1007c8 2'],
  ['001007c8 fc nc_d_read', 'other TEXT  0'],
  ['001007c8 fc NC_D_REED', 'other TEXT  0'],
  ['001007c8 fc NC_D_READX', 'other TEXT  0'],
  ['001007c8 fg NC_D_READ', 'other TEXT  0'],
  ['001007g8 fc NC_D_READ', 'other TEXT  0'],
  ['1007c8 fc NC_D_READ', 'other TEXT  0'],
  ['0001007c8 fc NC_D_READ', 'other TEXT  0'],
  ['001007c8 c NC_D_READ', 'other TEXT  0'],
  ['001007c8fc NC_D_READ', 'other TEXT  0'],
])('%j', (line, expected) => {
  const { records } = decode(`${line}\n`, 'big');
  expect(records.map(({ kind, native, address, size }) => `${kind} ${native} ${address} ${size}`)).toEqual([expected]);
});

test.each([
  ['00140020 00 INVALID', 'big', 'invalid-control', '........ .. INVALID'],
  ['00140023 00 NC_D_READ', 'big', 'misaligned-address', '.......3 .. ..'],
  ['23001400 00 NC_D_READ', 'little', 'misaligned-address', '.3...... .. ..'],
  ['00140020 FF D_WRITE', 'big', 'no-byte-enabled', '........ ff D_WRITE'],
  ['00140020 5a D_WRITE', 'big', 'split-byte-enables', '........ 5a D_WRITE'],
  ['00000000 77 SPECIAL', 'big', 'unknown-special', '........ 77 SPECIAL'],
  ['0 breakpoint 3', 'big', 'unknown-line', '# breakpoint #'],
])('counts %s, printed on a %s-endian machine, as %s with shape %s', (line, endian, code, shape) => {
  const good = endian === 'big' ? '001007c8 fc NC_D_READ' : 'c8071000 fc NC_D_READ';
  expect(decode(`${good}\n${line}\n${line}\n`, endian).diagnostics).toEqual([
    { code, shape, count: 2, firstOffset: 22, firstRecord: 1 },
  ]);
});

test('reports an overlong line by its beginning', () => {
  const hole = '\0'.repeat(70_000);
  expect(decode(`001007c8 fc NC_D_READ\n${hole}\n001007c8 ${hole}\n`, 'big').diagnostics).toEqual([
    { code: 'long-line', shape: '..', count: 1, firstOffset: 22, firstRecord: 1 },
    { code: 'long-line', shape: '# ..', count: 1, firstOffset: 70_023, firstRecord: 2 },
  ]);
});

test('names every part of a line', () => {
  expect(decode('c8071000 fc NC_D_READ\n', 'little').records[0]?.spans).toEqual([
    {
      name: 'address A31-A3',
      start: 0,
      end: 8,
      text: '0x001007c8 little endian, physical, printed in reverse byte order',
    },
    { name: 'byte enables BE7#-BE0#', start: 9, end: 11, text: '11111100: bytes 0, 1' },
    { name: 'cycle', start: 12, end: 21, text: 'NC_D_READ: control 13' },
  ]);
});

/** Content that both forms have. Only the binary form has marks from neighbours and record lengths. */
function plain(driven: Driven): readonly string[] {
  const byNeighbours = /^(possible-.*|confidence-.*|.*-unknown|unpaired|suspected-seam)$/;
  return driven.records.map(({ fields }) => {
    const { kind, native, address, size, text, flags = [] } = fields!;
    return [kind, native, address, size, text, flags.filter((mark) => !byNeighbours.test(mark)).join()].join(' ');
  });
}

function decode(text: string, endian: string): Driven {
  return decodeAll(open('ascii', endian), new Uint8Array(Buffer.from(text, 'latin1')), { describe: () => true });
}

function open(dialect: string, endian: string): Decoder {
  const opened = byu6.open({ dialect, endian });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
