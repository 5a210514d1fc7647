/** Recognizes compressed files and archives by their first bytes, never by their names. */
import { isCompress, isGzip } from '../../../../shared/format/heads.ts';

/** Compression formats that can be expanded here. */
export type Expandable = 'gzip' | 'zstd' | 'compress';

export interface Packing {
  /** Offset of the magic number. */
  readonly at: number;
  /** Name in a sentence: `a gzip file`. */
  readonly name: string;
  /** Command that unpacks it. */
  readonly tool: string;
  readonly expandable?: Expandable;
}

/** Returns the packing of a file with this head (a few hundred bytes suffice); undefined if it is not packed. */
export function packingOf(head: Uint8Array): Packing | undefined {
  const start = afterSkippable(head);
  return PACKED.find(({ at, magic, expandable }) => {
    // The magic number alone also starts some traces.
    if (expandable === 'gzip') return isGzip(head);
    if (expandable === 'compress') return isCompress(head);
    if (expandable !== 'zstd') return magic.every((byte, i) => head[at + i] === byte);
    // If skippable frames fill the head, what follows them is checked during expansion.
    return (start > 0 && start + magic.length > head.length) || magic.every((byte, i) => head[start + i] === byte);
  });
}

/** Returns the offset of the first Zstandard frame with content: files may begin with skippable frames (RFC 8878, section 3.1.2). */
function afterSkippable(head: Uint8Array): number {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  let at = 0;
  while (at + 4 <= head.length && (view.getUint32(at, true) & ~15) === SKIPPABLE)
    at = at + 8 <= head.length ? at + 8 + view.getUint32(at + 4, true) : head.length;
  return at;
}

const SKIPPABLE = 0x184d2a50;

const PACKED: readonly (Packing & { readonly magic: readonly number[] })[] = [
  { at: 0, magic: [0x1f, 0x8b, 8], name: 'a gzip file', tool: 'gunzip', expandable: 'gzip' },
  { at: 0, magic: [0x28, 0xb5, 0x2f, 0xfd], name: 'a Zstandard file', tool: 'unzstd', expandable: 'zstd' },
  { at: 0, magic: [0x1f, 0x9d], name: 'a compress (.Z) file', tool: 'uncompress', expandable: 'compress' },
  { at: 0, magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a], name: 'an xz file', tool: 'unxz' },
  { at: 0, magic: [0x42, 0x5a, 0x68], name: 'a bzip2 file', tool: 'bunzip2' },
  { at: 0, magic: [0x50, 0x4b, 0x03, 0x04], name: 'a zip archive', tool: 'unzip' },
  { at: 0, magic: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], name: 'a 7-Zip archive', tool: '7z x' },
  { at: 0, magic: [0x04, 0x22, 0x4d, 0x18], name: 'an LZ4 file', tool: 'unlz4' },
  { at: 257, magic: [0x75, 0x73, 0x74, 0x61, 0x72], name: 'a tar archive', tool: 'tar -xf' },
];
