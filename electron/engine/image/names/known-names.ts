/**
 * Remembers the demangled names of symbol tables, so that only the first search among millions of symbols demangles them: that takes a
 * hundred times longer than reading a name. All tables share a limit of bytes. The table that was searched last gets the room of others.
 */
import { Buffer } from 'node:buffer';

export interface KnownNames {
  /** Returns the name of a symbol; undefined if it is not remembered. */
  get(number: number): string | undefined;
  /** Remembers the name of a symbol if there is room. A name that is set stays the same. */
  set(number: number, name: string): void;
}

export type CreateKnownNames = (count: number) => KnownNames;

/** Upper limit of all tables together. Two million names of C++ take about 200 MB. */
const MOST_BYTES = 256 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Returns the names of a table with this number of symbols. */
export const createKnownNames = knownNamesWithin(MOST_BYTES, CHUNK_BYTES);

interface Store {
  chunks: Buffer[];
  /** By symbol: the offset of its name in all chunks, plus 1; 0 if it is not remembered. */
  starts: Uint32Array;
  lengths: Uint32Array;
}

/** Returns a function that creates names within a limit of bytes, in chunks of this size. A longer name is not remembered. */
export function knownNamesWithin(most: number, chunkBytes: number): CreateKnownNames {
  /** Stores with names, the one that was extended last at the end. */
  const stores: Store[] = [];
  let bytes = 0;

  return (count) => {
    const own: Store = emptyStore();
    /** Offset after the last name. */
    let end = 0;
    return {
      get(number) {
        const start = own.starts[number] ?? 0;
        if (start === 0) return undefined;
        const at = (start - 1) % chunkBytes;
        return own.chunks[(start - 1 - at) / chunkBytes]!.toString('utf8', at, at + own.lengths[number]!);
      },
      set(number, name) {
        const length = Buffer.byteLength(name);
        if (length > chunkBytes) return;
        if (own.chunks.length === 0) end = 0;
        if (end + length > own.chunks.length * chunkBytes && !extend()) return;
        // A name lies within one chunk.
        if ((end % chunkBytes) + length > chunkBytes) end += chunkBytes - (end % chunkBytes);
        const at = end % chunkBytes;
        own.chunks[(end - at) / chunkBytes]!.write(name, at, 'utf8');
        own.starts[number] = end + 1;
        own.lengths[number] = length;
        end += length;
      },
    };

    /** Adds a chunk; false if that needs more than the limit, even without the names of other tables. */
    function extend(): boolean {
      const isNew = own.chunks.length === 0;
      const more = chunkBytes + (isNew ? 8 * count : 0);
      while (bytes + more > most && stores.some((store) => store !== own))
        forget(stores.find((store) => store !== own)!);
      if (bytes + more > most) return false;
      if (isNew) Object.assign(own, { starts: new Uint32Array(count), lengths: new Uint32Array(count) });
      own.chunks.push(Buffer.allocUnsafe(chunkBytes));
      bytes += more;
      forgetPlace(own);
      stores.push(own);
      return true;
    }
  };

  function forget(store: Store): void {
    bytes -= store.chunks.length * chunkBytes + 8 * store.starts.length;
    Object.assign(store, emptyStore());
    forgetPlace(store);
  }

  function forgetPlace(store: Store): void {
    const at = stores.indexOf(store);
    if (at >= 0) stores.splice(at, 1);
  }
}

function emptyStore(): Store {
  return { chunks: [], starts: new Uint32Array(0), lengths: new Uint32Array(0) };
}
