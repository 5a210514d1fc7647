// Archives of bundles: what is written is read back, a changed byte is found, and hostile archives end with a sentence.
import { crc32, deflateRawSync } from 'node:zlib';
import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { ARCHIVE_MOST, CONTENT_MOST, readArchive, writeArchive } from '../../../electron/engine/bundle/archive.ts';

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const MEMBERS = new Map([
  ['bundle.json', text('{"format":"x"}')],
  ['slices/0-9.log', text('line\n'.repeat(400))],
  ['empty', new Uint8Array()],
]);
const WRITTEN = writeArchive(MEMBERS, 'bundle.json');

test('another reader of ZIP archives reads the members', () => {
  const theirs = unzipSync(WRITTEN);
  expect(Object.keys(theirs)).toEqual(['bundle.json', 'empty', 'slices/0-9.log']);
  for (const [name, content] of MEMBERS) expect(Buffer.from(theirs[name]!).equals(content)).toBe(true);
});

test('reads what it wrote, and writes equal members as equal bytes', () => {
  const read = readArchive(WRITTEN);
  expect(read.ok && read.value.seal).toBe('whole');
  expect(read.ok && new Map([...read.value.members].map(([name, content]) => [name, Buffer.from(content)]))).toEqual(
    new Map([...MEMBERS].map(([name, content]) => [name, Buffer.from(content)])),
  );
  expect(Buffer.from(writeArchive(new Map([...MEMBERS].reverse()), 'bundle.json')).equals(WRITTEN)).toBe(true);
});

test('reads archives of other programs, and says that it cannot see whether they changed', () => {
  const theirs = zipSync({ 'bundle.json': text('{}'), slices: { '0-9.log': text('line\n'.repeat(400)) } });
  const read = readArchive(theirs);
  expect(read.ok && [read.value.seal, [...read.value.members.keys()].sort()]).toEqual([
    'none',
    ['bundle.json', 'slices/0-9.log'],
  ]);
});

test('finds every changed byte, and every cut', () => {
  for (let at = 0; at < WRITTEN.length; at++) {
    const changed = Uint8Array.from(WRITTEN);
    changed[at]! ^= 1 << (at & 7);
    const read = readArchive(changed);
    expect(read.ok && read.value.seal === 'whole', `byte ${String(at)}`).toBe(false);
    const cut = readArchive(WRITTEN.subarray(0, at));
    expect(cut.ok && cut.value.seal === 'whole', `cut at ${String(at)}`).toBe(false);
  }
});

interface Made {
  readonly name?: string;
  readonly content?: Uint8Array;
  readonly size?: number;
  readonly method?: number;
  readonly flags?: number;
}

/** Writes an archive as its fields say, whether or not they are true. */
function archiveOf(members: readonly Made[], overlapping = false): Uint8Array {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name = 'a', content = text('x'.repeat(100)), method = 8, flags = 0, ...given } of members) {
    const stored = method === 8 ? deflateRawSync(content) : content;
    const { size = content.length } = given;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(stored.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(name.length, 22);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(overlapping ? 0 : offset, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name, 'latin1'), stored]);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, end, Buffer.from(name, 'latin1')]));
    if (overlapping && offset > 0) continue;
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

test('the hostile archives of this test are read if they are harmless', () => {
  const read = readArchive(archiveOf([{}, { name: 'b', method: 0 }]));
  expect(read.ok && [...read.value.members.keys()]).toEqual(['a', 'b']);
});

test.each([
  ['names that leave the folder', [{ name: '../../etc/passwd' }], /name of a member/],
  ['names that begin at the root', [{ name: '/a' }], /name of a member/],
  ['names of drives', [{ name: 'c:a' }], /name of a member/],
  ['names with backslashes', [{ name: 'a\\b' }], /name of a member/],
  ['names with controls', [{ name: 'a\nb' }], /name of a member/],
  ['two members of a name', [{}, {}], /two members named a/],
  ['encrypted members', [{ flags: 1 }], /encrypted/],
  ['members that are packed otherwise', [{ method: 99 }], /unknown way/],
  ['members that are longer than they say', [{ size: 10 }], /damaged/],
  ['members that are shorter than they say', [{ size: 1000 }], /damaged/],
  ['members that say they are huge', [{ size: 0xffff_fffe }], /more than 536,870,912 bytes/],
  ['many members that together are huge', [{ name: 'b', size: CONTENT_MOST }, {}], /more than 536,870,912 bytes/],
] as const)('refuses %s', (_name, members, why) => {
  const read = readArchive(archiveOf(members));
  expect(read.ok ? '' : read.error.message).toMatch(why);
});

test('refuses members that share bytes, from which small archives inflate to any size', () => {
  const read = readArchive(archiveOf([{}, { name: 'a1' }], true));
  expect(read.ok ? '' : read.error.message).toMatch(/overlap|damaged/);
});

test('inflates no more than a member says, whatever is packed in it', () => {
  const bomb = new Uint8Array(64 * 1024 * 1024);
  const read = readArchive(archiveOf([{ content: bomb, size: 1000 }]));
  expect(read.ok ? '' : read.error.message).toMatch(/damaged/);
});

test('refuses long files before it reads them', () => {
  const read = readArchive(new Uint8Array(ARCHIVE_MOST + 1));
  expect(read.ok ? '' : read.error.message).toMatch(/more than 268,435,456 bytes/);
});
