// Image files that are refused by name. The texts were written by objcopy 2.40 and srec_cat 1.64.
import { expect, test } from 'vitest';
import { unreadImage } from '../../electron/engine/image/unread-images.ts';

const BYTES = '01 00 A0 E3 00 00 00 EB FE FF FF EA 04 10 9F E5';
const WORDS = '0100A0E3 000000EB FEFFFFEA 04109FE5';
const TI = `@8000\n${BYTES}\n00 10 80 E5\nq\n`;

/** Makes a block of UF2. */
function block(address: number, flags = 0): string {
  const bytes = Buffer.alloc(512);
  [0x0a324655, 0x9e5d5157, flags, address, 256].forEach((word, i) => bytes.writeUInt32LE(word, 4 * i));
  return bytes.toString('latin1');
}

test.each([
  [
    'objcopy -O verilog',
    `@00008000\r\n${BYTES}\r\n`,
    /^this is text for \$readmemh of Verilog, .*\(srec_cat FILE -vmem -o program\.hex -intel\)$/,
  ],
  ['words', `/* http://x */\n@00002000 ${WORDS}\n`, /-vmem -o program\.hex -intel, with -byte-swap 4 before -o if/],
  ['comments of both kinds and unknown digits', '// a\n/* b\n c */ @10 1x zz 1_3 // d\n', /\$readmemh/],
  ['words without an address', '00000013\n'.repeat(8), /\$readmemh/],
  ['a long file that is cut within a comment', `@0\n${'13 // nop\n'.repeat(20_000)}`, /\$readmemh/],
  ['TI-TXT', TI, /^this is a TI-TXT file, .*; give the ELF file .*\(srec_cat FILE -ti_txt -o program\.hex -intel\)$/],
  ['a long TI-TXT file', `@8000\n${`${BYTES}\n`.repeat(5000)}q`, /TI-TXT/],
  ['UF2', block(0x2000), /^this is a UF2 file, .*uf2conv\.py -c -o program\.bin FILE.*program\.bin@0x2000$/],
  ['UF2 that begins with a block that is not memory', block(0, 1) + block(0x10000000), /program\.bin@0x10000000$/],
  ['UF2 without a block of memory', block(0x2000, 1), /a UF2 file/],
])('%s: names the file and says what to do', (_, text, sentence) => {
  expect(unreadImage(Buffer.from(text, 'latin1'))).toMatch(sentence);
});

test.each([
  ['nothing', ''],
  ['code', '\x01\x00\xa0\xe3\0\0\0\xeb'],
  ['code that looks like digits', '00000013'],
  ['words of different lengths', '1 22 333 4444 5 66 777 8888'],
  ['an address without words', '@8000\n'],
  ['prose', '@8000 is the address\n'],
  ['the magic of UF2 alone', 'UF2\n'],
])('%s: other bytes have no name', (_, text) => {
  expect(unreadImage(Buffer.from(text, 'latin1'))).toBeUndefined();
});
