/**
 * Position of the window of the desktop host between two starts, in one small file in the user's data folder. It is a convenience. If the
 * file is damaged or not writable, one line on stderr says so and the window opens at its default place.
 */
import fs from 'node:fs';
import path from 'node:path';

export interface Remembered {
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

/** Reads the state from `folder`, which need not exist yet. */
export function remembered(folder: string): Remembered {
  const file = path.join(folder, 'desktop.json');
  let state = read(file);
  return {
    place: () => state.place,
    setPlace(place) {
      state = { place };
      write(file, state);
    },
  };
}

interface State {
  readonly place?: WindowPlace;
}

function read(file: string): State {
  let value: unknown;
  try {
    value = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    const first = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!first) complain(file, 'cannot be read, so the window position is lost', error);
    return {};
  }
  const { place } = { ...(value as Partial<Record<keyof State, unknown>> | null) };
  return isPlace(place) ? { place } : {};
}

function write(file: string, state: State): void {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    fs.writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
    fs.renameSync(draft, file);
  } catch (error) {
    complain(file, 'cannot be written, so the window position will not be kept', error);
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
