// A stub of Electron's release archive for packaging without a network: a program that cannot run but
// has a fuse wire, so that flipping the fuses really happens.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Marks the wire in the real program (documented in @electron/fuses, README, "Customizing fuses"). */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const wireVersion = 1;
const fuses = 9;

/**
 * Writes `electron-vVERSION-PLATFORM-ARCH.zip` into a folder.
 * @param initial the state of each of the nine fuses, `0` or `1`
 */
export function writeStubElectron(folder: string, version: string, target: string, initial: string): void {
  const wire = Buffer.concat([Buffer.from(sentinel), Buffer.from([wireVersion, fuses]), Buffer.from(initial)]);
  const program = Buffer.concat([Buffer.from('#!/bin/sh\nexit 70\n'), wire, Buffer.from('\n')]);
  const entries: readonly Entry[] = [
    { name: 'electron', content: program, mode: 0o755 },
    { name: 'version', content: Buffer.from(version), mode: 0o644 },
    { name: 'LICENSE', content: Buffer.from('stub\n'), mode: 0o644 },
    { name: 'resources/default_app.asar', content: Buffer.from('stub\n'), mode: 0o644 },
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `electron-v${version}-${target}.zip`), zip(entries));
}

interface Entry {
  readonly name: string;
  readonly content: Buffer;
  readonly mode: number;
}

/** A ZIP archive that stores its entries uncompressed (APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16). */
function zip(entries: readonly Entry[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(entry.content), 10);
    common.writeUInt32LE(entry.content.length, 14);
    common.writeUInt32LE(entry.content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, entry.content]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((0o100000 | entry.mode) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    // Marked as made on Unix, so that the mode applies.
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), common, rest, name]));
    bodies.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, index, Buffer.from('PK\x05\x06'), end]);
}
