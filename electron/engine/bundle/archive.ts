/**
 * Writes and reads the ZIP archive of a bundle. On one machine, equal members give equal bytes. Its comment holds the SHA-256
 * of all bytes before the comment, so a change of any byte is found. Archives that other programs packed can be read too.
 *
 * Archives are not trusted. Nothing is allocated because an archive says so: number and sizes of members are limited, members must not
 * overlap, and a member that inflates to more than its size is refused after that many bytes: fflate, which packs reports, inflates all of
 * it and returns its first bytes without an error. Members are never written under their names.
 *
 * Layout: APPNOTE.TXT 6.3.10 of PKWARE, sections 4.3 and 4.4.
 */
import { createHash } from 'node:crypto';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { assert, fail, ok, type Result } from '../../../shared/base/result.ts';

/** Longest archive that is read, in bytes. */
export const ARCHIVE_MOST = 256 * 1024 * 1024;
/** Upper limit of all members together, in bytes. */
export const CONTENT_MOST = 512 * 1024 * 1024;
const MEMBERS_MOST = 10_000;
const NAME_MOST = 200;

export type Members = ReadonlyMap<string, Uint8Array>;

export interface Archive {
  readonly members: Members;
  /** `whole`: no byte has changed. `changed`: one has. `none`: another program packed the archive. */
  readonly seal: 'whole' | 'changed' | 'none';
}

/** The first member is `first`, by which the head of a file is recognised. The others are sorted. */
export function writeArchive(members: Members, first: string): Uint8Array {
  const names = [...members.keys()].filter((name) => name !== first).sort();
  const locals: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let offset = 0;
  for (const name of [first, ...names]) {
    const content = members.get(name);
    assert(content !== undefined && isGoodName(name), 'members of a bundle have plain names');
    const deflated = deflateRawSync(content, { level: 6 });
    const isSmaller = deflated.length < content.length;
    const stored = isSmaller ? deflated : content;
    const fields = { name, method: isSmaller ? DEFLATED : STORED, crc: crc32(content), stored, size: content.length };
    const local = header(LOCAL, fields);
    locals.push(local, stored);
    entries.push(header(ENTRY, fields, offset));
    offset += local.length + stored.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(names.length + 1, 8);
  end.writeUInt16LE(names.length + 1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(SEAL_BYTES, 20);
  const before = Buffer.concat([...locals, directory, end]);
  return Buffer.concat([before, Buffer.from(sealOf(before), 'latin1')]);
}

/** Fails with `archive` and the reason: the end of a sentence about the file. */
export function readArchive(bytes: Uint8Array): Result<Archive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length > ARCHIVE_MOST) return refuse(`it has more than ${ARCHIVE_MOST.toLocaleString('en')} bytes`);
  const end = endOf(buffer);
  if (end === undefined) return refuse('it has no directory at its end: it was cut off or is no ZIP archive');
  const count = buffer.readUInt16LE(end + 10);
  const from = buffer.readUInt32LE(end + 16);
  if (buffer.readUInt32LE(end + 4) !== 0 || buffer.readUInt16LE(end + 8) !== count)
    return refuse('it is one of several volumes');
  if (count > MEMBERS_MOST) return refuse(`it has more than ${MEMBERS_MOST.toLocaleString('en')} members`);
  if (from + buffer.readUInt32LE(end + 12) > end) return refuse('its directory is damaged');
  const entries = entriesOf(buffer, { from, end, count });
  if (!entries.ok) return entries;
  const members = new Map<string, Uint8Array>();
  for (const entry of entries.value) {
    const content = contentOf(buffer, entry);
    if (content === undefined) return refuse(`its member ${entry.name} is damaged`);
    members.set(entry.name, content);
  }
  return ok({ members, seal: sealFound(buffer, end) });
}

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const END_BYTES = 22;
const STORED = 0;
const DEFLATED = 8;
/** 1980-01-01, the first day that the format knows: a bundle depends on no clock. */
const DAY = 0x21;
/** Version 2.0 of the format, which knows deflated members. */
const VERSION = 20;

interface Fields {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly stored: Uint8Array;
  readonly size: number;
}

function header(kind: typeof LOCAL | typeof ENTRY, fields: Fields, offset = 0): Buffer {
  const { name, method, crc, stored, size } = fields;
  const at = kind === LOCAL ? 4 : 6;
  const bytes = Buffer.alloc((kind === LOCAL ? LOCAL_BYTES : ENTRY_BYTES) + name.length);
  bytes.writeUInt32LE(kind, 0);
  if (kind === ENTRY) bytes.writeUInt16LE(VERSION, 4);
  bytes.writeUInt16LE(VERSION, at);
  bytes.writeUInt16LE(method, at + 4);
  bytes.writeUInt16LE(DAY, at + 8);
  bytes.writeUInt32LE(crc, at + 10);
  bytes.writeUInt32LE(stored.length, at + 14);
  bytes.writeUInt32LE(size, at + 18);
  bytes.writeUInt16LE(name.length, at + 22);
  if (kind === ENTRY) bytes.writeUInt32LE(offset, 42);
  bytes.write(name, bytes.length - name.length, 'latin1');
  return bytes;
}

const SEAL = 'Tracebench bundle. SHA-256 of all bytes before this comment: ';
const SEAL_BYTES = SEAL.length + 64;

function sealOf(before: Uint8Array): string {
  return `${SEAL}${createHash('sha256').update(before).digest('hex')}`;
}

function sealFound(buffer: Buffer, end: number): Archive['seal'] {
  const comment = buffer.toString('latin1', end + END_BYTES);
  if (comment === '') return 'none';
  return comment === sealOf(buffer.subarray(0, end + END_BYTES)) ? 'whole' : 'changed';
}

/** Returns where the end of the directory is. Its comment reaches to the end of the file. */
function endOf(buffer: Buffer): number | undefined {
  const least = Math.max(0, buffer.length - END_BYTES - 0xffff);
  for (let at = buffer.length - END_BYTES; at >= least; at--)
    if (buffer.readUInt32LE(at) === END && at + END_BYTES + buffer.readUInt16LE(at + 20) === buffer.length) return at;
  return undefined;
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  /** Bytes of the file that hold the member: [from, to). */
  readonly from: number;
  readonly to: number;
  readonly size: number;
}

function entriesOf(
  buffer: Buffer,
  { from, end, count }: { readonly from: number; readonly end: number; readonly count: number },
): Result<readonly Entry[]> {
  const entries = new Map<string, Entry>();
  let at = from;
  let total = 0;
  for (let i = 0; i < count; i++) {
    if (at + ENTRY_BYTES > end || buffer.readUInt32LE(at) !== ENTRY) return refuse('its directory is damaged');
    const [method, crc] = [buffer.readUInt16LE(at + 10), buffer.readUInt32LE(at + 16)];
    const [length, size] = [buffer.readUInt32LE(at + 20), buffer.readUInt32LE(at + 24)];
    const nameBytes = buffer.readUInt16LE(at + 28);
    const next = at + ENTRY_BYTES + nameBytes + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
    if (next > end) return refuse('its directory is damaged');
    const name = buffer.toString('latin1', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    if ((buffer.readUInt16LE(at + 8) & 1) !== 0) return refuse('its members are encrypted');
    const local = buffer.readUInt32LE(at + 42);
    at = next;
    // Other programs add a member for each folder.
    if (name.endsWith('/') && size === 0) continue;
    if (!isGoodName(name)) return refuse('the name of a member is none that a bundle has');
    if (method !== STORED && method !== DEFLATED) return refuse(`its member ${name} is packed in an unknown way`);
    if (entries.has(name)) return refuse(`it has two members named ${name}`);
    total += size;
    if (total > CONTENT_MOST) return refuse(`its members have more than ${CONTENT_MOST.toLocaleString('en')} bytes`);
    if (local + LOCAL_BYTES > end || buffer.readUInt32LE(local) !== LOCAL)
      return refuse(`its member ${name} is damaged`);
    const start = local + LOCAL_BYTES + buffer.readUInt16LE(local + 26) + buffer.readUInt16LE(local + 28);
    if (start + length > from) return refuse(`its member ${name} is damaged`);
    entries.set(name, { name, method, crc, from: start, to: start + length, size });
  }
  const inOrder = [...entries.values()].sort((a, b) => a.from - b.from || a.to - b.to);
  if (inOrder.some(({ to }, i) => to > (inOrder[i + 1]?.from ?? to))) return refuse('its members overlap');
  return ok([...entries.values()]);
}

/** Returns undefined unless the member has the size and the checksum that the directory says. */
function contentOf(buffer: Buffer, { method, crc, from, to, size }: Entry): Uint8Array | undefined {
  const stored = buffer.subarray(from, to);
  const content = method === STORED ? stored : inflated(stored, size);
  return content?.length === size && crc32(content) === crc ? content : undefined;
}

function inflated(stored: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateRawSync(stored, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** Names of members have at most one folder, and no character that a system reads in its own way. */
function isGoodName(name: string): boolean {
  return name.length <= NAME_MOST && /^[a-z0-9][a-z0-9.-]*(?:\/[a-z0-9][a-z0-9.-]*)?$/.test(name);
}

function refuse(why: string): Result<never> {
  return fail('archive', why);
}
