/** THE LIST of trace formats, in order of detection. */
import type { Format } from '../format.ts';

export const FORMATS: readonly Format[] = [];

export function formatById(id: string): Format | undefined {
  return FORMATS.find((format) => format.id === id);
}
