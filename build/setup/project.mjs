// Shared by every step of set-up: the project's folder, messages, running a program, and digests of inputs.
// Plain Node 20 without dependencies, like everything in this folder: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** The project's folder, absolute. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** A path inside the project. @param {...string} parts */
export const inside = (...parts) => join(root, ...parts);

/** One line for the person at the terminal; standard output belongs to what runs afterwards. @param {string} line */
export const say = (line) => process.stderr.write(`tracebench set-up: ${line}\n`);

/**
 * Runs a program to its end with its output in `.cache/logs/<name>.log`.
 * @param {string} name of the log
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, minutes?: number }} [options] `minutes`: when to give up, 15 if left out
 * @returns {string | undefined} what went wrong, with the log's place; undefined when it ended with 0
 */
export function run(name, command, args, { cwd = root, env = process.env, minutes = 15 } = {}) {
  mkdirSync(inside('.cache', 'logs'), { recursive: true });
  const log = inside('.cache', 'logs', `${name}.log`);
  const file = openSync(log, 'w');
  const done = spawnSync(command, args, { cwd, env, stdio: ['ignore', file, file], timeout: minutes * 60_000 });
  closeSync(file);
  if (done.status === 0) return undefined;
  const cause =
    done.error?.message ?? firstError(readFileSync(log, 'utf8')) ?? `it ended with ${done.signal ?? done.status}`;
  return `${cause} (the whole output is in ${relative(root, log)})`;
}

/**
 * A digest of the names and contents of files and folders: the same inputs give the same text.
 * @param {readonly string[]} paths relative to the project; what does not exist counts as absent
 * @param {(path: string) => boolean} [wanted] which files in folders count; all if left out
 */
export function digest(paths, wanted = () => true) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((path) => files(path)).filter(wanted)) {
    hash
      .update(path.split(sep).join('/'))
      .update('\0')
      .update(readFileSync(inside(path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** A small text file's content, or undefined if there is none. @param {string} path relative to the project */
export function read(path) {
  try {
    return readFileSync(inside(path), 'utf8');
  } catch (error) {
    if (code(error) === 'ENOENT' || code(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Writes a small text file, with its folder. @param {string} path relative to the project @param {string} text */
export function write(path, text) {
  mkdirSync(dirname(inside(path)), { recursive: true });
  writeFileSync(inside(path), text);
}

/** @param {string} path @returns {string[]} the path itself if it is a file, else every file below it, sorted */
function files(path) {
  try {
    const entries = readdirSync(inside(path), { withFileTypes: true });
    return entries.flatMap((entry) => files(join(path, entry.name))).sort();
  } catch (error) {
    if (code(error) === 'ENOTDIR') return [path];
    if (code(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The line of an output that most likely says why. @param {string} output */
function firstError(output) {
  const plain = stripVTControlCharacters(output).split('\n');
  const lines = plain.map((line) => line.replace(/^npm error /, '').trim());
  const ranks = [
    /\b(reason: |fatal error|[A-Z]\w*Error: |error: |Error: )|\[[A-Z_]{6,}\]/,
    /\b(err!|E[A-Z]{5,}|failed|not found|cannot)\b/i,
    /error/i,
  ];
  return ranks
    .map((rank) => lines.find((line) => rank.test(line)))
    .find((line) => line !== undefined)
    ?.slice(0, 300);
}

/** @param {unknown} error @returns {string | undefined} */
const code = (error) => (error instanceof Error && 'code' in error ? String(error.code) : undefined);
