/**
 * What does the desktop remember between two starts? The files opened lately and where the window was, in one small
 * file in the user's data folder. It is a convenience: damaged or unwritable, it costs one line on stderr and is begun anew.
 */
import fs from 'node:fs';
import path from 'node:path';

export interface Remembered {
  /** Absolute paths, newest first, each once. */
  recent(): readonly string[];
  addRecent(file: string): void;
  place(): WindowPlace | undefined;
  setPlace(place: WindowPlace): void;
}

/** Where a window lies on the desktop, in density-independent pixels, when it is not maximized. */
export interface WindowPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly maximized: boolean;
}

const MOST_RECENT = 10;

/** `folder` need not exist yet. */
export function remembered(folder: string): Remembered {
  const file = path.join(folder, 'desktop.json');
  let state = read(file);
  const change = (part: Partial<State>): void => {
    state = { ...state, ...part };
    write(file, state);
  };
  return {
    recent: () => state.recent,
    addRecent: (added) =>
      change({ recent: [added, ...state.recent.filter((other) => other !== added)].slice(0, MOST_RECENT) }),
    place: () => state.place,
    setPlace: (place) => change({ place }),
  };
}

interface State {
  readonly recent: readonly string[];
  readonly place?: WindowPlace;
}

function read(file: string): State {
  let value: unknown;
  try {
    value = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    const first = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!first) complain(file, 'cannot be read, so recent files and the window place start anew', error);
    return { recent: [] };
  }
  const { recent, place } = { ...(value as Partial<Record<keyof State, unknown>> | null) };
  return {
    recent: Array.isArray(recent) ? recent.filter((item) => typeof item === 'string').slice(0, MOST_RECENT) : [],
    ...(isPlace(place) ? { place } : {}),
  };
}

function write(file: string, state: State): void {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}`;
    fs.writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`);
    fs.renameSync(draft, file);
  } catch (error) {
    complain(file, 'cannot be written, so recent files and the window place are forgotten', error);
  }
}

function isPlace(value: unknown): value is WindowPlace {
  if (typeof value !== 'object' || value === null) return false;
  const { x, y, width, height, maximized } = value as Partial<Record<keyof WindowPlace, unknown>>;
  return [x, y, width, height].every((part) => Number.isInteger(part)) && typeof maximized === 'boolean';
}

function complain(file: string, what: string, error: unknown): void {
  process.stderr.write(`tracebench: ${file} ${what}: ${error instanceof Error ? error.message : String(error)}\n`);
}
