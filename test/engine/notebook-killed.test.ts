/** Notes outlive the programs that take them, however these end. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRandom } from '../laws/random.ts';
import { rounds } from '../short-form.ts';
import { notesAfter } from './fixtures/note-changes.ts';
import { notebookOn } from './notebook-on.ts';
import { scratch } from './traces.ts';

/** Rounds in each of which two programs are killed. */
const ROUNDS = rounds(2, 50);

let place: ReturnType<typeof scratch>;
let trace: string;

beforeEach(() => {
  place = scratch();
  trace = place.file('run.byu', 'any trace');
});

afterEach(() => {
  place.dispose();
});

test('two note-taking programs killed at random moments lose no acknowledged note', async () => {
  const random = createRandom(20);
  const acknowledged = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const names = [`a${String(round)}`, `b${String(round)}`];
    const counts = await Promise.all(
      names.map((name) => killed(name, random.below(12), random.below(3) === 0 ? 0 : random.below(60))),
    );
    names.forEach((name, i) => acknowledged.set(name, counts[i]!));
    const kept = read();
    for (const [name, count] of acknowledged) {
      const its = kept.filter(([id]) => id.startsWith(`${name}-`));
      // The change after the last acknowledged one may or may not have been made.
      expect([notesAfter(name, count), notesAfter(name, count + 1)]).toContainEqual(its);
    }
  }
  const all = [...acknowledged.values()];
  expect(all.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(2 * ROUNDS);
  expect(fs.readdirSync(place.folder).filter((name) => name.endsWith('.notebook'))).toEqual(['run.byu.notebook']);
  const database = new Database(`${trace}.notebook`, { readonly: true });
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
});

test('the next program creates a notebook whose creation was killed', async () => {
  for (let round = 0; round < rounds(2, 10); round++) {
    trace = place.file(`run-${String(round)}.byu`, `${String(round)} trace`);
    const child = start('first');
    const ended = once(child, 'close');
    while (!fs.existsSync(`${trace}.notebook`) && child.exitCode === null) await breathe();
    child.kill('SIGKILL');
    await ended;
    const notebook = notebookOn(trace, path.join(place.folder, 'data'));
    expect(await notebook.note('second')).toBe('kept');
    expect(notebook.held().notes.map(({ id }) => id)).toContain('second');
    notebook.close();
  }
});

test.each([
  ['all of it was written', Infinity],
  ['its first page was written', 4096],
])('the next program creates a notebook whose creation was killed when %s', async (_, bytes) => {
  const first = notebookOn(trace, path.join(place.folder, 'data'));
  expect(await first.note('first')).toBe('kept');
  first.close();
  const written = fs.readFileSync(`${trace}.notebook`);
  fs.writeFileSync(`${trace}.notebook`, written.subarray(0, bytes));
  fs.writeFileSync(`${trace}.notebook-journal`, JOURNAL_OF_A_NEW_FILE);
  const second = notebookOn(trace, path.join(place.folder, 'data'));
  expect(second.held()).toMatchObject({ exists: false, notes: [] });
  expect(await second.note('second')).toBe('kept');
  expect(second.held().notes.map(({ id }) => id)).toEqual(['second']);
  second.close();
});

/**
 * Header of a rollback journal for a file without pages (SQLite, Database File Format, section 3): magic, page count, nonce, original
 * pages, sector size and page size.
 */
const JOURNAL_OF_A_NEW_FILE = Buffer.concat([
  Buffer.from('d9d505f920a163d7' + '00000000' + '12345678' + '00000000' + '00000200' + '00001000', 'hex'),
  Buffer.alloc(512 - 28),
]);

/** Number of changes acknowledged by a program that is killed shortly after its `after`th change. */
async function killed(name: string, after: number, moments: number): Promise<number> {
  const child = start(name);
  let output = '';
  let errors = '';
  let dying = false;
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (dying || output.split('\n').length <= after) return;
    dying = true;
    void kill();
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(signal, errors).toBe('SIGKILL');
  const lines = output.split('\n').slice(0, -1);
  expect(lines).toEqual(lines.map((_, i) => String(i)));
  return lines.length;

  async function kill(): Promise<void> {
    for (let i = 0; i < moments; i++) await breathe();
    child.kill('SIGKILL');
  }
}

function start(name: string): ChildProcessByStdio<null, Readable, Readable> {
  const fixture = path.join(import.meta.dirname, 'fixtures', 'take-notes.ts');
  return spawn(process.execPath, [fixture, trace, name, path.join(place.folder, 'data')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function read(): readonly (readonly [id: string, text: string])[] {
  const notebook = notebookOn(trace, path.join(place.folder, 'data'));
  const { problem, notices, notes } = notebook.held();
  expect({ problem, notices }).toEqual({ problem: undefined, notices: [] });
  notebook.close();
  return notes.map(({ id, text }) => [id, text] as const).sort(([a], [b]) => (a < b ? -1 : 1));
}
