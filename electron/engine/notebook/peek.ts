/**
 * Of which trace is a notebook? Read from its bytes, without opening it: that would leave files beside the notebooks of
 * other traces. The head is SQLite's own (Database File Format, section 1.3); the second page is the table `trace`.
 */
import fs from 'node:fs';
import { BYTES_MOST } from './check-note.ts';
import type { TraceIdentity } from './identity.ts';
import { APPLICATION_ID } from './rows.ts';

export type Peeked =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'foreign' }
  /** Empty where the page cannot be read. */
  | { readonly kind: 'notebook'; readonly of: readonly TraceIdentity[] };

const HEAD = 100;
const MAGIC = 'SQLite format 3\0';

export function peek(file: string): Peeked {
  let descriptor: number | undefined;
  try {
    const facts = fs.statSync(file, { throwIfNoEntry: false });
    if (facts === undefined || (facts.isFile() && facts.size === 0)) return { kind: 'absent' };
    if (!facts.isFile() || facts.size > BYTES_MOST) return { kind: 'foreign' };
    descriptor = fs.openSync(file, 'r');
    const head = Buffer.alloc(HEAD);
    fs.readSync(descriptor, head, 0, HEAD, 0);
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

/** How a trace is named in its notebook. */
export function identityText({ bytes, probe }: TraceIdentity): string {
  return `tracebench-trace:${String(bytes)}:${probe}`;
}

function identitiesIn(page: string): readonly TraceIdentity[] {
  return [...page.matchAll(/tracebench-trace:(\d{1,16}):([0-9a-f]{64})/g)].map(([, bytes = '', probe = '']) => ({
    bytes: Number(bytes),
    probe,
  }));
}
