/** The file beside a slice of a bundle that says where its records are in the whole trace. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { SliceFacts } from '../../../shared/requests/bundle/slice-facts.ts';
import { parse, partOfFile, record, text } from '../../../shared/requests/schema.ts';
import { jsonValue } from '../../../shared/base/json-value.ts';

/** Name of the folder of all slices, within the folder of the indexes. */
export const SLICES_FOLDER = 'slices';
/** Is added to the name of a slice. */
export const SLICE_OF = '.slice-of.json';
const BYTES_MOST = 200_000;

/** Returns undefined if the trace is no slice of a bundle. */
export function sliceFacts(trace: string): SliceFacts | undefined {
  if (path.basename(path.dirname(path.dirname(trace))) !== SLICES_FOLDER) return undefined;
  const file = `${trace}${SLICE_OF}`;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > BYTES_MOST) return undefined;
  const facts = parse(factsSchema, jsonValue(readFileSync(file, 'utf8')));
  return facts.ok ? facts.value : undefined;
}

const factsSchema = partOfFile({
  bundle: text(32_768),
  of: text(1000),
  from: record,
  to: record,
  stateRecords: record,
});
