/**
 * Encodes an image with few colours as PNG (ISO/IEC 15948): 8 bits per pixel into a palette, no filters. The compressor is the same
 * on every machine, so the same pixels give the same bytes.
 */
import { zlibSync } from 'fflate';

export interface Indexed {
  readonly width: number;
  readonly height: number;
  /** Palette index of each pixel, row by row from the top. */
  readonly pixels: Uint8Array;
  /** Red, green, blue and opacity of each colour. */
  readonly palette: Uint8Array;
}

export function encodePng({ width, height, pixels, palette }: Indexed): Uint8Array {
  const colours = palette.length / 4;
  const plte = new Uint8Array(3 * colours);
  const opacity = new Uint8Array(colours);
  for (let at = 0; at < colours; at += 1) {
    plte.set(palette.subarray(4 * at, 4 * at + 3), 3 * at);
    opacity[at] = palette[4 * at + 3]!;
  }
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y += 1) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([BITS, INDEXED, 0, 0, 0], 8);
  const chunks = [
    chunk('IHDR', header),
    chunk('PLTE', plte),
    chunk('tRNS', opacity),
    chunk('IDAT', zlibSync(rows, { level: 9 })),
    chunk('IEND', new Uint8Array()),
  ];
  return joined([SIGNATURE, ...chunks]);
}

/** Returns a PNG as a `data:` URL (RFC 4648, section 4). */
export function dataUrl(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const three = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const four = [18, 12, 6, 0].map((shift) => DIGITS.charAt((three >> shift) & 63)).join('');
    const missing = at + 3 - bytes.length;
    parts.push(missing > 0 ? four.slice(0, 4 - missing) + '='.repeat(missing) : four);
  }
  return `data:image/png;base64,${parts.join('')}`;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BITS = 8;
const INDEXED = 3;

/** Length, name, data, and a checksum over name and data (section 5.3). */
function chunk(name: string, data: Uint8Array): Uint8Array {
  const made = new Uint8Array(12 + data.length);
  const view = new DataView(made.buffer);
  view.setUint32(0, data.length);
  for (let at = 0; at < 4; at += 1) made[4 + at] = name.charCodeAt(at);
  made.set(data, 8);
  view.setUint32(8 + data.length, crc(made.subarray(4, 8 + data.length)));
  return made;
}

function crc(bytes: Uint8Array): number {
  let sum = 0xffff_ffff;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 0xff]! ^ (sum >>> 8);
  return (sum ^ 0xffff_ffff) >>> 0;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb8_8320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
