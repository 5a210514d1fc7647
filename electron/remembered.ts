/**
 * State of the desktop host between two starts: the recent files and the window position, in one small file in the user's data folder. It
 * is a convenience. If the file is damaged or not writable, one line on stderr says so and the state starts empty.
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

/** Bounds of the window while it is not maximized, in density-independent pixels. */
export interface WindowPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly maximized: boolean;
}

const MOST_RECENT = 10;

/** Reads the state from `folder`, which need not exist yet. */
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
    if (!first) complain(file, 'cannot be read, so the recent files and the window position are lost', error);
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
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    fs.writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
    fs.renameSync(draft, file);
  } catch (error) {
    complain(file, 'cannot be written, so the recent files and the window position will not be kept', error);
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
