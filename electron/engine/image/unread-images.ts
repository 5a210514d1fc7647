/**
 * Image files that no reader reads, but whose kind is known: text for Verilog's $readmemh, TI-TXT and UF2. They are refused with the way on,
 * also if a base is given: as raw bytes, the file itself would become the program.
 */
import { latin1 } from '../../../shared/base/bytes.ts';
import { toHex } from '../../../shared/base/units.ts';

interface Unread {
  /** Name in a sentence: `this is a UF2 file`. */
  readonly name: string;
  /** The way on, beside the ELF file that the image was made from. Each command was run on a file of this kind. */
  readonly conversion: string;
}

/** Returns a sentence about the file and the way on; undefined for files of other kinds. */
export function unreadImage(bytes: Uint8Array): string | undefined {
  const unread = uf2(bytes) ?? hexText(bytes);
  return (
    unread &&
    `this is ${unread.name}, which Tracebench does not read; give the ELF file that it was made from, or ${unread.conversion}`
  );
}

/** A block of UF2: two magic words, flags, target address, and further fields (github.com/microsoft/uf2). */
const UF2 = { block: 512, magic: [0x0a324655, 0x9e5d5157], flags: 8, address: 12, notMemory: 1 } as const;

function uf2(bytes: Uint8Array): Unread | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isBlock = (at: number): boolean =>
    at + UF2.block <= bytes.length && UF2.magic.every((word, i) => view.getUint32(at + 4 * i, true) === word);
  if (!isBlock(0)) return undefined;
  let at = 0;
  while (isBlock(at + UF2.block) && (view.getUint32(at + UF2.flags, true) & UF2.notMemory) !== 0) at += UF2.block;
  const base = toHex(BigInt(view.getUint32(at + UF2.address, true)));
  return {
    name: 'a UF2 file',
    conversion: `convert it to raw bytes (uf2conv.py -c -o program.bin FILE) and add the start address that uf2conv.py prints, as in program.bin@${base}`,
  };
}

/** Bytes of text examined at the start, and at the end. */
const EXAMINED_BYTES = 64 * 1024;
const END_BYTES = 64;

/** Number of words from which text without addresses counts as memory. */
const FEWEST_WORDS = 8;

const COMMENT = /\/\/.*|\/\*[^]*?(?:\*\/|$)/g;
const ADDRESS = /^@[0-9a-f]{1,16}$/i;
/** Digits may be unknown (x) or not driven (z), and parted by underscores (IEEE 1364, 17.2.8). */
const WORD = /^[0-9a-fxz][0-9a-fxz_]*$/i;
/** Numbers of digits of a word whose bytes may have to be swapped, and of a word in text that has no address. */
const SWAPPED_DIGITS: readonly number[] = [4, 8, 16];
const USUAL_DIGITS: readonly number[] = [2, ...SWAPPED_DIGITS];

/** Recognises words of hexadecimal digits, and addresses that begin with `@`. */
function hexText(bytes: Uint8Array): Unread | undefined {
  const isTi = /\sq\s*$/i.test(latin1(bytes.subarray(-END_BYTES)));
  const parts = latin1(bytes.subarray(0, EXAMINED_BYTES))
    .replace(/^\xef\xbb\xbf/, '')
    .replaceAll(COMMENT, ' ')
    .split(/\s+/)
    .filter((part) => part !== '');
  // The last part is the end mark of TI-TXT, or may be cut.
  if (isTi || bytes.length > EXAMINED_BYTES) parts.pop();
  const words = parts.filter((part) => WORD.test(part));
  const [first] = words;
  const addresses = parts.filter((part) => ADDRESS.test(part)).length;
  if (first === undefined || words.length + addresses < parts.length) return undefined;
  if (isTi && ADDRESS.test(parts[0]!)) {
    return {
      name: 'a TI-TXT file',
      conversion: 'convert it to Intel HEX (srec_cat FILE -ti_txt -o program.hex -intel)',
    };
  }
  const isMemory = words.length >= FEWEST_WORDS && words.every(({ length }) => length === first.length);
  if (addresses === 0 && !(isMemory && USUAL_DIGITS.includes(first.length))) return undefined;
  const swap = SWAPPED_DIGITS.includes(first.length)
    ? `, with -byte-swap ${first.length / 2} before -o if the lowest byte of a word comes first in memory`
    : '';
  return {
    name: 'text for $readmemh of Verilog',
    conversion: `convert it to Intel HEX (srec_cat FILE -vmem -o program.hex -intel${swap})`,
  };
}
