/** Where a session listens: a socket in a folder that only this user can enter. */
import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { VERSION } from '../../program.ts';

/**
 * Returns the path of the session of this user, this build of the program and these folders: a command never reaches a session that would
 * keep its index elsewhere or that understands other requests.
 */
export function sessionPlace(): string {
  const here = import.meta.url;
  // Several bundles contain this function, and all of them name the same one.
  const program = fileURLToPath(here.endsWith('.ts') ? here : new URL('./cli.js', here));
  const { HOME, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const facts = [VERSION, program, statSync(program).mtimeMs, HOME, XDG_CACHE_HOME, LOCALAPPDATA];
  const name = digestOf(JSON.stringify(facts));
  return process.platform === 'win32'
    ? `\\\\.\\pipe\\tracebench-${userInfo().username}-${name}`
    : join(sessionFolder(), `${name}.sock`);
}

/** FNV-1a with 64 bits, as hexadecimal digits. Loading node:crypto would take a quarter of the time of a question. */
function digestOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

/** Paths of sockets have at most some 100 characters, so this is no folder below the user's home. */
function sessionFolder(): string {
  return join(tmpdir(), `tracebench-${userInfo().uid}`);
}

/** Makes the folder of the sockets. Fails if another user could have made it or can enter it. */
export function makeSessionFolder(): Result<undefined> {
  if (process.platform === 'win32') return ok(undefined);
  const folder = sessionFolder();
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
  } catch (error) {
    return fail('session', `${folder}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return isPrivate(folder)
    ? ok(undefined)
    : fail('session', `${folder} belongs to another user or is open to others; remove it and start the session again`);
}

/** False if no session listens, or if somebody else could have put its socket there. */
export function mayHaveSession(): boolean {
  return process.platform === 'win32' || (existsSync(sessionPlace()) && isPrivate(sessionFolder()));
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === userInfo().uid && (found.mode & 0o077) === 0;
}
