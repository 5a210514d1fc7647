/**
 * Writes a table of a trace as Parquet files into a folder:
 *
 *     FOLDER/records/trace=NAME/records-000000000000.parquet     the records starting at number 0
 *     FOLDER/records/trace=NAME/_manifest.1-of-1.json            the files of a part of the table
 *     FOLDER/records.duckdb.sql ...                              views for engines
 *
 * All files of a part get their names when the last one is complete. The manifest is the last of them: a part without its manifest is not
 * complete.
 */
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { assert, fail, ok, type Result } from '../../../shared/base/result.ts';
import type { ExportPlan, ExportTable, PlannedFile, RecordRange } from '../../../shared/requests/tables/export.ts';
import { CANCELLED } from '../../../shared/requests/failures.ts';
import type { ColumnSpec, RowGroup } from '../../../shared/requests/tables/row-group.ts';
import { footer, MAGIC, type PlacedGroup } from '../../parquet/footer.ts';
import { VERSION } from '../../program.ts';
import { unwritable } from '../../result-file.ts';
import { createUnfinishedFiles } from './unfinished-files.ts';
import { ENGINES, viewsFor } from './views.ts';
import { jsonValue } from '../../../shared/base/json-value.ts';

export interface ParquetExport {
  readonly folder: string;
  /** Value of the partition `trace`: a file name. */
  readonly name: string;
  readonly table: ExportTable;
  readonly part: number;
  readonly parts: number;
  readonly signed: boolean;
  readonly plan: ExportPlan;
}

export interface ParquetSource {
  /** Returns the rows of a group of the plan. */
  rows(range: RecordRange): Promise<Result<RowGroup>>;
  readonly signal: AbortSignal;
  /** Called when the rows up to a record are written. */
  reached(record: number): void;
}

export interface ParquetWritten {
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
}

interface WrittenFile extends RecordRange {
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
}

/** Groups that are requested before they are needed: enough for the threads of a large machine, few enough for a small one. */
const AHEAD = 4;

export async function writeParquet(wanted: ParquetExport, source: ParquetSource): Promise<Result<ParquetWritten>> {
  const { folder, table, name, plan, part, parts } = wanted;
  const place = path.join(folder, table, `trace=${name}`);
  const unfinished = createUnfinishedFiles();
  try {
    await mkdir(place, { recursive: true });
    const problem = await otherExport(place, aboutOf(wanted));
    if (problem !== undefined) return fail('unwritable', problem);
    const files: WrittenFile[] = [];
    const next = requestAhead(plan.files, source);
    let columns: readonly ColumnSpec[] | undefined;
    for (const planned of plan.files) {
      const file = `${table}-${String(planned.from).padStart(12, '0')}.parquet`;
      const written = await writeFile(unfinished.begin(path.join(place, file)), planned, wanted, next, source);
      if (!written.ok) return written;
      ({ columns } = written.value);
      const { rows, bytes } = written.value;
      files.push({ file, from: planned.from, to: planned.to, rows, bytes });
    }
    for (const engine of columns === undefined ? [] : ENGINES) {
      const text = viewsFor(engine, { folder: path.resolve(folder), table, columns: columns!, signed: wanted.signed });
      await unfinished.write(path.join(folder, `${table}.${engine}.sql`), text);
    }
    const manifest = { ...aboutOf(wanted), part, parts, files };
    const manifestFile = path.join(place, `_manifest.${String(part)}-of-${String(parts)}.json`);
    await unfinished.write(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`);
    if (source.signal.aborted) return interrupted();
    await unfinished.publish();
    const sum = (key: 'rows' | 'bytes'): number => files.reduce((all, file) => all + file[key], 0);
    return ok({ files: files.length, rows: sum('rows'), bytes: sum('bytes') });
  } catch (error) {
    return fail('unwritable', `${folder}: ${unwritable(error)}`);
  } finally {
    await unfinished.discard();
  }
}

function interrupted(): Result<never> {
  return fail(CANCELLED, 'the export was interrupted');
}

/** Facts that all parts of an export have in common. */
function aboutOf({ plan, signed }: ParquetExport): Readonly<Record<string, string>> {
  return { tracebench: VERSION, ...plan.about, signed: signed ? 'yes' : 'no', filesOfAll: String(plan.ofAll) };
}

/** Facts that may differ between jobs that write parts of one export: where a job finds the trace. */
const OF_A_JOB: ReadonlySet<string> = new Set(['trace', 'images']);

/** Returns a sentence if the folder holds rows that do not belong to this export: together they would be wrong. */
async function otherExport(place: string, about: Readonly<Record<string, string>>): Promise<string | undefined> {
  for (const file of await readdir(place)) {
    if (!file.startsWith('_manifest.')) continue;
    const read: unknown = jsonValue(await readFile(path.join(place, file), 'utf8'));
    const there = typeof read === 'object' && read !== null ? (read as Readonly<Record<string, unknown>>) : {};
    const differs = Object.keys(about).find((key) => !OF_A_JOB.has(key) && there[key] !== about[key]);
    if (differs !== undefined) {
      return `${place}: this folder holds an export with another ${WORDS[differs] ?? differs}; remove the folder, or choose another one`;
    }
  }
  return undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  tracebench: 'version of Tracebench',
  digest: 'trace of the same name (choose a name with --name)',
  bytes: 'trace of the same name (choose a name with --name)',
  signed: 'choice of --signed',
  fileRecords: 'number of records a file',
};

type Next = () => Promise<Result<RowGroup>>;

/** Returns a function that returns the groups of all files in order. Some are requested ahead. */
function requestAhead(files: readonly PlannedFile[], { rows }: ParquetSource): Next {
  // A file without rows has the columns of a group without records.
  const ranges = files.flatMap(({ from, to, groups }) => (groups.length > 0 ? groups : [{ from, to }])).values();
  const requested: Promise<Result<RowGroup>>[] = [];
  return () => {
    while (requested.length <= AHEAD) {
      const { value, done } = ranges.next();
      if (done === true) break;
      requested.push(rows(value));
    }
    const next = requested.shift();
    assert(next !== undefined, 'a group of the plan is left');
    return next;
  };
}

interface Written {
  readonly columns: readonly ColumnSpec[];
  readonly rows: number;
  readonly bytes: number;
}

async function writeFile(
  temporary: string,
  planned: PlannedFile,
  wanted: ParquetExport,
  next: Next,
  { signal, reached }: ParquetSource,
): Promise<Result<Written>> {
  const file = await open(temporary, 'wx');
  let bytes = 0;
  const append = async (more: Uint8Array): Promise<void> => {
    for (let at = 0; at < more.length;) at += (await file.write(more, at)).bytesWritten;
    bytes += more.length;
  };
  try {
    await append(MAGIC);
    const groups: PlacedGroup[] = [];
    let columns: readonly ColumnSpec[] = [];
    let rows = 0;
    for (let group = 0; group < Math.max(1, planned.groups.length); group++) {
      const encoded = await next();
      if (!encoded.ok) return encoded;
      if (signal.aborted) return interrupted();
      ({ columns } = encoded.value);
      rows += encoded.value.rows;
      if (encoded.value.rows > 0) {
        groups.push({ offset: bytes, rows: encoded.value.rows, chunks: encoded.value.chunks });
        await append(encoded.value.bytes);
      }
      reached(planned.groups[group]?.to ?? planned.to);
    }
    const about = Object.entries({ ...aboutOf(wanted), from: String(planned.from), to: String(planned.to) });
    await append(
      footer({
        columns,
        groups,
        about: Object.fromEntries(about.map(([key, value]) => [`tracebench.${key}`, value])),
        createdBy: `tracebench version ${VERSION}`,
      }),
    );
    return ok({ columns, rows, bytes });
  } finally {
    await file.close();
  }
}
