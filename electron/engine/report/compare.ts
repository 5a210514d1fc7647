/** Describes the first difference between a report and the trace in a sentence. */
import { line } from './words.ts';

const SHOWN = 60;

/** Compares plain JSON data. Returns undefined if both are equal. Absent and undefined are equal. */
export function dataDifference(given: unknown, found: unknown): string | undefined {
  const place = firstPlace(given, found, []);
  if (place === undefined) return undefined;
  const where = place.path.length === 0 ? '' : `${pathText(place.path)}: `;
  return `${where}the report's data says ${valueText(place.given)}, but the trace gives ${valueText(place.found)}`;
}

interface Place {
  readonly path: readonly string[];
  readonly given: unknown;
  readonly found: unknown;
}

function firstPlace(given: unknown, found: unknown, path: readonly string[]): Place | undefined {
  if (!isStructure(given) || !isStructure(found) || Array.isArray(given) !== Array.isArray(found)) {
    return Object.is(given, found) ? undefined : { path, given, found };
  }
  const keys = new Set([...Object.keys(found), ...Object.keys(given)]);
  for (const key of keys) {
    const place = firstPlace(own(given, key), own(found, key), [...path, key]);
    if (place !== undefined) return place;
  }
  return undefined;
}

function isStructure(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function pathText(path: readonly string[]): string {
  return line(
    path
      .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
      .join('')
      .replace(/^\./, ''),
    SHOWN,
  );
}

function valueText(value: unknown): string {
  return value === undefined ? 'nothing' : line(JSON.stringify(value), SHOWN);
}

/** Compares shown texts without their tags, unless only the tags differ. */
export function shownDifference(given: string, found: string): string | undefined {
  if (given === found) return undefined;
  const [mine, other] = [wordsOf(given), wordsOf(found)];
  const at = other.findIndex((word, i) => word !== mine[i]);
  const first = at < 0 && mine.length > other.length ? other.length : at;
  if (first < 0) return 'its words are right, but its markup or its drawing was changed';
  const from = Math.max(0, first - 2);
  const part = (words: readonly string[]): string => {
    const text = words.slice(from, first + 4).join(' ');
    return text === '' ? 'nothing' : `“${line(text, SHOWN)}”`;
  };
  return `it shows ${part(mine)}, but the trace gives ${part(other)}`;
}

function wordsOf(text: string): readonly string[] {
  return text
    .replaceAll(/<[^<>]*>/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
}
