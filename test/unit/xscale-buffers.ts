// Trace buffers written as text, and short forms of their records.
import { xscale } from '../../shared/formats/xscale/xscale.ts';
import { decodeAll, type Driven } from '../laws/drive.ts';

export const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
export const full = (text: string): Uint8Array => {
  const bytes = hex(text);
  return Uint8Array.from([...new Uint8Array(256 - bytes.length), ...bytes]);
};
export const big = (...words: number[]): number[] =>
  words.flatMap((w) => [w >>> 24, (w >>> 16) & 255, (w >>> 8) & 255, w & 255]);
export const little = (...words: number[]): number[] =>
  words.flatMap((w) => [w & 255, (w >>> 8) & 255, (w >>> 16) & 255, w >>> 24]);

export const WORKED = full('00 00 80 00 90 83 ff 85 22 81');

export function read(bytes: Uint8Array, settings: Record<string, string> = {}): Driven {
  const opened = xscale.open(settings);
  if (!opened.ok) throw new Error(opened.error.message);
  return decodeAll(opened.value, bytes, { describe: () => true });
}

/** `NATIVE count target` per record. */
export function summaries({ records }: Driven): readonly string[] {
  return records.map(({ native, fields, target }) => {
    const count = fields?.flags?.find((flag) => flag.startsWith('instructions-'))?.slice('instructions-'.length) ?? '';
    return [native, count, target].join(' ').trim();
  });
}
