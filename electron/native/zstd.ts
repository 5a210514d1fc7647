/** The TypeScript face of the host's Zstandard: the same as that of node:zlib, without a stream and a context for each call. */
import { loadAddon } from './addon.ts';

export interface Zstd {
  /** Writes a frame with `bytes` to `target`; answers how long it is, or -1 if it does not fit. */
  pack(bytes: Uint8Array, target: Uint8Array, level: number): number;
  /** Writes the content of a frame to `target`; answers how long it is, or -1 if `bytes` are no frame or it does not fit. */
  unpack(bytes: Uint8Array, target: Uint8Array): number;
}

interface ZstdAddon extends Zstd {
  hasZstd(): boolean;
}

let known: { readonly zstd: Zstd | undefined } | undefined;

/** Undefined if the host does not export it, or the addon is not there. */
export function hostZstd(): Zstd | undefined {
  known ??= { zstd: look() };
  return known.zstd;
}

function look(): Zstd | undefined {
  const addon = loadAddon<ZstdAddon>(['hasZstd', 'pack', 'unpack']);
  return addon.ok && addon.value.hasZstd() ? addon.value : undefined;
}
