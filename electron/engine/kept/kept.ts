/**
 * Keeps what a person left: a small private file for each trace, named by a digest of its real path, and one of settings. Programs that
 * write at the same time replace whole files, so the last one wins. Losing the files costs only convenience: a damaged file is renamed
 * and reported once.
 */
import { createHash, randomUUID } from 'node:crypto';
import { lstat, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  MOST_KEPT,
  settingsFile,
  traceFile,
  type Arguments,
  type Kept,
  type KeptSettings,
  type KeptTrace,
  type LeftTrace,
} from '../../../shared/requests/requests.ts';
import { parse, type Checked, type Schema } from '../../../shared/requests/schema.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { visible } from '../../../shared/base/visible.ts';
import { makeFolder, PRIVATE } from '../platform/private-files.ts';

/** Largest file that is read: a trace with many images has long paths. */
const MOST_BYTES = 1 << 20;
const ENDING = '.json';

export async function keptSettings(folder: string): Promise<Kept> {
  const problems: string[] = [];
  const { settings = {} } = (await read(settingsPath(folder), settingsFile, problems)) ?? {};
  return { settings, traces: [], problems };
}

/** `only`: the path of the one trace that is wanted. */
export async function kept(folder: string, only: string | undefined): Promise<Kept> {
  const { settings, problems: found } = await keptSettings(folder);
  const problems = [...found];
  const names = only === undefined ? await traceNames(folder) : [await nameOf(only)];
  const traces = await Promise.all(
    names.map(async (name) => {
      if (name === undefined) return undefined;
      const found = await read(path.join(folder, TRACES, name), traceFile, problems);
      return found && seen({ ...found.trace, path: only ?? found.trace.path }, name);
    }),
  );
  return {
    settings,
    traces: traces.filter((trace) => trace !== undefined).sort((a, b) => b.at - a.at),
    problems,
  };
}

/** Returns the content of a file; undefined if there is none. A damaged file is renamed, and a sentence about it added to the problems. */
async function read<S extends Schema>(file: string, schema: S, problems: string[]): Promise<Checked<S> | undefined> {
  const content = await readChecked(file, schema);
  if (content.ok) return content.value;
  if (content.error.code !== 'missing') problems.push(await renameDamaged(file, content.error.message));
  return undefined;
}

/** Ends when all earlier changes are written: changes of one program are written in the order of their requests. */
let written: Promise<unknown> = Promise.resolve();

function inOrder<T>(change: () => Promise<T>): Promise<T> {
  const done = written.then(change);
  written = done;
  return done;
}

export function keepTrace(folder: string, left: Arguments<'keepTrace'>): Promise<Result<Record<string, never>>> {
  return inOrder(() => writeTrace(folder, left));
}

export function forgetTrace(folder: string, trace: string): Promise<Result<Record<string, never>>> {
  return inOrder(() => removeTrace(folder, trace));
}

export function keepSettings(folder: string, given: KeptSettings): Promise<Result<Record<string, never>>> {
  return inOrder(() => changeSettings(folder, given));
}

async function writeTrace(folder: string, left: Arguments<'keepTrace'>): Promise<Result<Record<string, never>>> {
  const name = await nameOf(left.path);
  if (name === undefined) return fail('missing', `${left.path}: there is no such file`);
  try {
    const { size, mtimeMs } = await stat(left.path);
    const file = path.join(folder, TRACES, name);
    const trace: LeftTrace = { ...left, bytes: size, modified: mtimeMs, at: Date.now() };
    await write(file, { version: 1, trace });
    await forgetOldest(path.join(folder, TRACES));
    return ok({});
  } catch (error) {
    return notKept(folder, error);
  }
}

async function removeTrace(folder: string, trace: string): Promise<Result<Record<string, never>>> {
  try {
    const name = await nameOf(trace);
    const names = name === undefined ? await traceNames(folder) : [name];
    for (const each of names) {
      const file = path.join(folder, TRACES, each);
      // The real path of a trace that is gone is unknown.
      const content = name === undefined ? await readChecked(file, traceFile) : undefined;
      if (content === undefined || (content.ok && content.value.trace.path === trace)) await rm(file, { force: true });
    }
    return ok({});
  } catch (error) {
    return notKept(folder, error);
  }
}

async function changeSettings(folder: string, given: KeptSettings): Promise<Result<Record<string, never>>> {
  try {
    const file = settingsPath(folder);
    const before = await readChecked(file, settingsFile);
    await write(file, { version: 1, settings: { ...(before.ok && before.value.settings), ...given } });
    return ok({});
  } catch (error) {
    return notKept(folder, error);
  }
}

const TRACES = 'traces';

function settingsPath(folder: string): string {
  return path.join(folder, `settings${ENDING}`);
}

/** Returns the name of the file about a trace; undefined if the trace is gone. */
async function nameOf(trace: string): Promise<string | undefined> {
  try {
    return `${createHash('sha256')
      .update(await realpath(trace))
      .digest('hex')
      .slice(0, 32)}${ENDING}`;
  } catch {
    return undefined;
  }
}

async function traceNames(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(path.join(folder, TRACES));
    return names.filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
  } catch {
    // No trace was kept yet, or the folder cannot be read, which writing to it reports.
    return [];
  }
}

/** Compares a trace with what is on the disk. Returns undefined if its path now leads to another file than the one that was left. */
async function seen(trace: LeftTrace, name: string): Promise<KeptTrace | undefined> {
  const now = await nameOf(trace.path);
  if (now === undefined) return { ...trace, state: 'missing' };
  if (now !== name) return undefined;
  try {
    const { size, mtimeMs } = await stat(trace.path);
    return { ...trace, state: size === trace.bytes && mtimeMs === trace.modified ? 'same' : 'changed' };
  } catch {
    return { ...trace, state: 'missing' };
  }
}

/** Fails with `missing` if there is no file, and with `damaged` and the reason if its content cannot be used. */
async function readChecked<S extends Schema>(file: string, schema: S): Promise<Result<Checked<S>>> {
  try {
    const entry = await lstat(file);
    if (!entry.isFile()) return fail('damaged', 'it is not a file');
    if (entry.size > MOST_BYTES) return fail('damaged', 'it is too large');
    const checked = parse(schema, JSON.parse(await readFile(file, 'utf8')));
    return checked.ok ? ok(checked.value) : fail('damaged', 'its content is not what Tracebench writes');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return fail('missing', 'it is missing');
    return fail('damaged', error instanceof SyntaxError ? 'it is not JSON' : messageOf(error));
  }
}

/** Renames a damaged file, so that it is reported once. Returns the report. */
async function renameDamaged(file: string, reason: string): Promise<string> {
  const what = path.basename(file).startsWith('settings')
    ? 'settings have their defaults'
    : 'its trace opens at the start';
  try {
    await rename(file, `${file}.damaged`);
  } catch {
    // Another program has renamed it, or the folder is read-only: the report comes again then.
  }
  return visible(`${file} cannot be used (${reason}), so ${what}`);
}

async function write(file: string, content: object): Promise<void> {
  makeFolder(path.dirname(file));
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: PRIVATE, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Removes all but the newest files, those of interrupted programs too. */
async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MOST_KEPT) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      // Another program may have removed it meanwhile.
      return {
        file,
        time: await lstat(file).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      };
    }),
  );
  const oldest = files.sort((a, b) => b.time - a.time).slice(MOST_KEPT);
  await Promise.all(oldest.map(({ file }) => rm(file, { force: true })));
}

function notKept(folder: string, error: unknown): Result<never> {
  return fail(
    'not-kept',
    `${folder} cannot be written to (${messageOf(error)}), so nothing is kept for the next start`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
