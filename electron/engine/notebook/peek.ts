/**
 * Reads the trace identities of a notebook from its bytes, without opening the database. Opening it would leave files next to the notebooks
 * of other traces. The header is SQLite's (Database File Format, section 1.3), and so is the journal (section 3). The second page contains
 * the table `trace`.
 */
import fs from 'node:fs';
import { specialDatabaseFile } from '../platform/ordinary-file.ts';
import { BYTES_MOST } from './check-note.ts';
import type { TraceIdentity } from '../platform/file-identity.ts';
import { APPLICATION_ID } from './rows.ts';

export type Peeked =
  | { readonly kind: 'absent' }
  /** A file without content. A program that was killed may have left it, or lost what was in it. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'foreign' }
  /** `of` is empty if the page cannot be read. */
  | { readonly kind: 'notebook'; readonly of: readonly TraceIdentity[] };

const HEAD = 100;
const MAGIC = 'SQLite format 3\0';
const JOURNAL_MAGIC = 'd9d505f920a163d7';
const JOURNAL_HEAD = 20;

export function peek(file: string): Peeked {
  let descriptor: number | undefined;
  try {
    const facts = fs.statSync(file, { throwIfNoEntry: false });
    if (facts === undefined) return { kind: 'absent' };
    if (facts.isFile() && facts.size === 0) return { kind: hasJournal(file) ? 'absent' : 'empty' };
    if (!facts.isFile() || facts.size > BYTES_MOST) return { kind: 'foreign' };
    descriptor = fs.openSync(file, 'r');
    const head = Buffer.alloc(HEAD);
    fs.readSync(descriptor, head, 0, HEAD, 0);
    if (isBeingMade(file)) return { kind: 'absent' };
    if (head.toString('latin1', 0, MAGIC.length) !== MAGIC || head.readUInt32BE(68) !== APPLICATION_ID)
      return { kind: 'foreign' };
    const stored = head.readUInt16BE(16);
    const page = Buffer.alloc(stored === 1 ? 65536 : stored);
    const length = fs.readSync(descriptor, page, 0, page.length, page.length);
    return { kind: 'notebook', of: identitiesIn(page.toString('latin1', 0, length)) };
  } catch (error) {
    return { kind: 'unreadable', why: error instanceof Error ? error.message : String(error) };
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Returns true while a program creates the notebook. */
function hasJournal(file: string): boolean {
  return fs.existsSync(`${file}-journal`);
}

/**
 * Returns true if the first transaction of the file has not ended. If the program that created the file is gone, SQLite empties the file
 * for the next program that opens it.
 */
function isBeingMade(file: string): boolean {
  let journal: number;
  try {
    if (specialDatabaseFile(file) !== undefined) return false;
    journal = fs.openSync(`${file}-journal`, 'r');
  } catch {
    // The journal is missing or unreadable. In both cases SQLite cannot roll back anything.
    return false;
  }
  try {
    const head = Buffer.alloc(JOURNAL_HEAD);
    const length = fs.readSync(journal, head, 0, JOURNAL_HEAD, 0);
    const pagesBefore = head.readUInt32BE(16);
    return length === JOURNAL_HEAD && head.toString('hex', 0, 8) === JOURNAL_MAGIC && pagesBefore === 0;
  } finally {
    fs.closeSync(journal);
  }
}

/** Returns the identity of a trace in the form used in its notebook. */
export function identityText({ bytes, probe }: TraceIdentity): string {
  return `tracebench-trace:${String(bytes)}:${probe}`;
}

function identitiesIn(page: string): readonly TraceIdentity[] {
  return [...page.matchAll(/tracebench-trace:(\d{1,16}):([0-9a-f]{64})/g)].map(([, bytes = '', probe = '']) => ({
    bytes: Number(bytes),
    probe,
  }));
}
