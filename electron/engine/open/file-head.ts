/** Reads the head of a file, expanded in memory if the file is compressed. */
import { HEAD_BYTES, type Head } from '../../../shared/format/format.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { packingOf, type Expandable } from './expand/packing.ts';
import { unpack } from './expand/unpack.ts';
import { openSource, type Source } from '../platform/source.ts';

export interface Looked {
  /** Size of the file itself. */
  readonly fileBytes: number;
  /** A failure if nothing of a compressed file can be expanded. */
  readonly content: Result<Content>;
}

export interface Content {
  /** Name of the content in messages. */
  readonly where: string;
  readonly head: Head;
  /** The file, or only the head of a compressed file. The caller closes it. */
  readonly source: Source;
}

/** Fails if the file cannot be read. */
export async function look(path: string): Promise<Result<Looked>> {
  const opened = openSource(path);
  if (!opened.ok) return opened;
  const source = opened.value;
  const fileBytes = source.size;
  const head = readHead(source);
  if (!head.ok) {
    source.close();
    return head;
  }
  const as = packingOf(head.value.bytes)?.expandable;
  if (as === undefined) return ok({ fileBytes, content: ok({ where: path, head: head.value, source }) });
  source.close();
  const inside = await readHeadInside(path, as);
  if (!inside.ok) return ok({ fileBytes, content: inside });
  const content = { where: `${path}: inside`, head: inside.value, source: memorySource(path, inside.value.bytes) };
  return ok({ fileBytes, content: ok(content) });
}

export function readHead(source: Source): Result<Head> {
  const bytes = new Uint8Array(Math.min(HEAD_BYTES, source.size));
  const read = source.read(0, bytes, 0, bytes.length);
  return read.ok ? ok({ bytes, size: source.size }) : read;
}

/** Expands the first bytes of a compressed file. The size is infinite unless they are the whole content. */
async function readHeadInside(path: string, as: Expandable): Promise<Result<Head>> {
  const bytes = new Uint8Array(HEAD_BYTES);
  let held = 0;
  const whole = await unpack(path, as, (piece) => {
    const taken = piece.subarray(0, HEAD_BYTES - held);
    bytes.set(taken, held);
    held += taken.length;
    return held < HEAD_BYTES;
  });
  if (!whole.ok && held === 0) return whole;
  const all = whole.ok && whole.value;
  return ok({ bytes: bytes.subarray(0, held), size: all ? held : Number.POSITIVE_INFINITY });
}

/** Presents bytes in memory as a file. */
function memorySource(path: string, content: Uint8Array): Source {
  return {
    path,
    size: content.length,
    identity: '',
    modified: '',
    reader: 'reads',
    read(offset, target, start, length) {
      const part = content.subarray(offset, offset + length);
      target.set(part, start);
      return ok(part.length);
    },
    changed: () => 'no',
    close: () => undefined,
  };
}
