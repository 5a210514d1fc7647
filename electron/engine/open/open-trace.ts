/** Opens a trace (chooses its format and settings, finds or creates its index) and closes it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FormatFacts, ImageProgress, OpenArguments } from '../../../shared/requests/requests.ts';
import { createBatch } from '../../../shared/records/batch.ts';
import { WHOLE_BYTES, type Head, type Settings } from '../../../shared/format/format.ts';
import { FORMATS, formatById } from '../../../shared/formats/index.ts';
import { assert, fail, ok, type Result } from '../../../shared/base/result.ts';
import { planBlocks } from '../index/blocks.ts';
import { judge, problemWith } from './detect.ts';
import type { Expansion } from './expand/expand.ts';
import type { Images } from '../image/images.ts';
import { needsPlace, placeMapped } from './mapped-images.ts';
import { createIngest, type IngestCallbacks } from '../index/ingest.ts';
import { readHead } from './file-head.ts';
import { knownFormat, type Chosen } from './known-format.ts';
import { defaultDataDirectory } from '../notebook/folders.ts';
import { identify } from '../platform/file-identity.ts';
import { createNotebook } from '../notebook/notebook.ts';
import type { Pool } from '../threads/pool.ts';
import type { Task } from '../threads/task.ts';
import { firstContradiction } from '../queries/memory/contradiction.ts';
import { countPages } from '../queries/heat/pages.ts';
import type { EngineSettings } from '../settings.ts';
import { openSource } from '../platform/source.ts';
import { makeFile, makeFolder, PRIVATE } from '../platform/private-files.ts';
import { createBlockTable } from '../index/store/block-table.ts';
import { defaultIndexDirectory, indexKey } from '../index/store/identity.ts';
import { isDamage, isTemporary } from '../index/store/errors.ts';
import type { IndexFile } from '../index/store/index-file.ts';
import { INDEX_BUSY, openIndexFile, removeIndexFile } from '../index/store/open-index.ts';
import type { Trace } from '../trace.ts';
import { FAN_IN } from '../index/pyramid.ts';
import { openTraceReader } from '../index/trace-reader.ts';

export interface OpenContext {
  readonly id: string;
  /** Key by which workers know the trace. */
  readonly key: string;
  readonly pool: Pool;
  readonly settings: EngineSettings;
  /** Expanded content, if the file is compressed. */
  readonly expansion?: Expansion;
  /** Index for this open trace alone, which is used instead of the one that all programs share. */
  readonly ownIndex?: OwnIndex;
  /** Images, placed where the trace maps them. */
  readonly images: Images;
}

/** A temporary index that no other program uses. */
export interface OwnIndex {
  readonly folder: string;
  readonly file: string;
  readonly notice: string;
}

/** Places images where the trace maps them. Reads the trace only if an image needs it. */
export async function placedImages(
  args: OpenArguments,
  { images, expansion, settings }: Pick<OpenContext, 'images' | 'expansion' | 'settings'>,
  task: Task<ImageProgress>,
): Promise<Result<Images>> {
  if (!needsPlace(images)) return ok(images);
  const file = path.resolve(args.path);
  const content = expansion?.path ?? file;
  const format = chooseFormat(file, content, args, settings);
  if (!format.ok) return format;
  const decoder = formatById(format.value.id)?.open(format.value.options) ?? noSuchFormat(format.value.id);
  if (!decoder.ok) return decoder;
  if (decoder.value.mappings === undefined) return ok(images);
  const source = openSource(content);
  if (!source.ok) return source;
  try {
    return await placeMapped(images, source.value, decoder.value.mappings, task);
  } finally {
    source.value.close();
  }
}

export function openTrace(args: OpenArguments, context: OpenContext): Result<Trace> {
  const file = path.resolve(args.path);
  const { expansion } = context;
  /** The file that is read. */
  const content = expansion?.path ?? file;
  const format = chooseFormat(file, content, args, context.settings);
  if (!format.ok) return format;
  const { id: formatId, options: settings } = format.value;
  const decoder = formatById(formatId)?.open(settings) ?? noSuchFormat(formatId);
  if (!decoder.ok) return decoder;
  const { framing } = decoder.value;
  const probe = openSource(content);
  if (!probe.ok) return probe;
  const { size: fileBytes, identity } = probe.value;
  probe.value.close();
  if (framing.kind === 'whole' && fileBytes > WHOLE_BYTES) return tooLarge(file, fileBytes);
  const { blockBytes } = planBlocks(framing, fileBytes, context.settings.blockBytes);
  const opened = openTraceReader({
    key: context.key,
    path: content,
    identity,
    format: formatId,
    settings,
    fileBytes,
    blockBytes,
  });
  if (!opened.ok) return opened;
  const reader = opened.value;
  const notices = [...(reader.source.note === undefined ? [] : [reader.source.note]), ...context.images.notices];
  const probed = identify(reader.source, fileBytes);
  const key = indexKey(reader.source, reader.decoder, blockBytes);
  const startScans = (): void => {
    context.pool.start(Math.ceil(reader.plan.blocks / FAN_IN));
  };
  const kept = openKept();
  if (!kept.ok) {
    reader.source.close();
    return kept;
  }
  const { temporaryFolder } = kept.value;
  if (context.ownIndex !== undefined) notices.push(context.ownIndex.notice);
  const { dialect } = reader.decoder;
  const facts: FormatFacts = {
    ...format.value,
    ...(dialect === undefined ? {} : { dialect }),
    options: reader.decoder.settings,
  };
  const blocks = createBlockTable();
  const opening: { trace?: Trace } = {};
  const ingest = makeWithSoundIndex(kept.value.index, notices, (sound) => {
    const callbacks: IngestCallbacks = {
      countPages: () => countPages(sound, created.pageRuns),
      firstContradiction: (level, node, lines) => {
        assert(opening.trace !== undefined, 'an index is built for an open trace');
        return firstContradiction(opening.trace, level, node, lines);
      },
    };
    const created = createIngest(reader, blocks, sound, context.pool, callbacks, context.settings.patience);
    return created;
  });
  if (!ingest.ok) {
    reader.source.close();
    return ingest;
  }
  opening.trace = {
    id: context.id,
    file: {
      path: file,
      bytes: fileBytes,
      ...(expansion === undefined
        ? {}
        : { compressed: { as: expansion.as, bytes: expansion.bytes, expanded: expansion.path } }),
    },
    format: facts,
    images: context.images,
    reader,
    blocks,
    index: ingest.value.index,
    ...(temporaryFolder === undefined ? {} : { temporaryFolder }),
    ingest: ingest.value.made,
    pool: context.pool,
    notices,
    probe: probed.ok ? probed.value.probe : '',
    notebook: createNotebook({
      trace: file,
      source: reader.source,
      bytes: fileBytes,
      notebook: args.notebook,
      dataDirectory: context.settings.dataDirectory ?? defaultDataDirectory(),
    }),
    batch: createBatch(),
  };
  return ok(opening.trace);

  function openKept(): Result<Kept> {
    if (!key.ok) return key;
    const { ownIndex, settings } = context;
    if (ownIndex === undefined)
      return openIndex(
        args.indexDirectory ?? settings.indexDirectory,
        key.value,
        startScans,
        notices,
        settings.scratch,
      );
    const index = openOrRebuild(ownIndex.file, notices);
    return index.ok ? ok({ index: index.value, temporaryFolder: ownIndex.folder }) : index;
  }
}

/**
 * Copies the committed part of a trace's index to a temporary one, from which another opening of the trace goes on alone. Fails if there
 * is no room for it.
 */
export async function copyIndex({ index }: Trace, why: string, scratch: string | undefined): Promise<Result<OwnIndex>> {
  const advice = 'continue or end that program, or choose another folder with --index-dir';
  const folder = makeTemporaryFolder(scratch);
  if (folder === undefined) return fail('index-unusable', `${why}; ${advice}`);
  const file = path.join(folder, path.basename(index.path));
  try {
    makeFile(file, PRIVATE);
    await index.copyTo(file);
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    if (!isTemporary(error)) throw error;
    return fail('index-unusable', `${why}, and there is no room in ${os.tmpdir()} for an index of its own; ${advice}`);
  }
  return ok({ folder, file, notice: `${why}; this index is temporary, in ${folder}` });
}

/** Closes a trace. Removes its index if `forget` is set or the index is temporary. */
export function closeTrace(trace: Trace, forget = false): void {
  trace.notebook.close();
  const isOurs = !trace.index.isReplaced();
  trace.index.rollback();
  trace.index.close();
  if (forget && isOurs) removeIndexFile(trace.index.path);
  if (trace.temporaryFolder !== undefined) fs.rmSync(trace.temporaryFolder, { recursive: true, force: true });
  trace.reader.source.close();
  trace.pool.forget(trace.reader.ref.key);
}

export function tooLarge(file: string, bytes: number): Result<never> {
  return fail(
    'too-large',
    `${file}: in this format and dialect a file may have at most ${String(WHOLE_BYTES)} bytes, and this one has ${String(bytes)}; cut it or choose another format or dialect`,
  );
}

export function noSuchFormat(id: string): Result<never> {
  return fail(
    'no-such-format',
    `there is no format '${id}'; there are ${FORMATS.map((format) => format.id).join(', ')}`,
  );
}

/**
 * Chooses the format by name or by content. Settings suggested by the content are overridden by those of the caller. The choice is kept
 * beside the indexes.
 */
function chooseFormat(
  file: string,
  content: string,
  args: OpenArguments,
  settings: Pick<EngineSettings, 'indexDirectory'>,
): Result<Chosen> {
  const source = openSource(content);
  if (!source.ok) return source;
  try {
    const head = readHead(source.value);
    if (!head.ok) return head;
    const folder = args.indexDirectory ?? settings.indexDirectory ?? defaultIndexDirectory();
    const known = knownFormat(folder, head.value, args);
    if (known.choice !== undefined) return ok(known.choice);
    const chosen = chooseByHead(head.value, file, args);
    if (chosen.ok) known.keep(chosen.value);
    return chosen;
  } finally {
    source.value.close();
  }
}

/** `file`: name of the file in messages. */
export function chooseByHead(
  head: Head,
  file: string,
  args: Pick<OpenArguments, 'format' | 'options'>,
): Result<Chosen> {
  const wanted = args.format;
  const named = wanted === undefined ? undefined : formatById(wanted);
  if (wanted !== undefined && named === undefined) return noSuchFormat(wanted);
  const claims = judge(head, named);
  const chosen = claims[0];
  const problem = problemWith(file, head, claims);
  if (wanted === undefined && problem !== undefined) return { ok: false, error: problem };
  // Such a file has no records in any format.
  if (problem?.code === 'empty' || problem?.code === 'returns') return { ok: false, error: problem };
  const dialect: Settings = chosen?.claim.dialect === undefined ? {} : { dialect: chosen.claim.dialect };
  const id = wanted ?? chosen?.format.id ?? '';
  return ok({
    id,
    name: formatById(id)?.name ?? id,
    confidence: chosen?.claim.confidence ?? 0,
    reasons:
      wanted === undefined ? (chosen?.claim.reasons ?? []) : ['it was requested', ...(chosen?.claim.reasons ?? [])],
    options: { ...chosen?.claim.options, ...dialect, ...decided(id, args.options) },
  });
}

/** Returns the options without those set to `auto`, which leave the choice to detection. */
function decided(id: string, options: Settings = {}): Settings {
  const known = formatById(id)?.options ?? [];
  const reads = (name: string): boolean => known.some((option) => option.name === name && option.autoReads === true);
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== 'auto' || reads(name)));
}

interface Kept {
  readonly index: IndexFile;
  /** Folder of a temporary index; undefined if the index is kept. */
  readonly temporaryFolder?: string;
}

/**
 * Opens or creates the index in a folder. Creates a temporary index and adds a notice if the default folder cannot be written, or if
 * another program keeps the index locked, for example because it was stopped while it created the file.
 */
function openIndex(
  directory: string | undefined,
  key: string,
  startScans: () => void,
  notices: string[],
  scratch: string | undefined,
): Result<Kept> {
  const folder = directory ?? defaultIndexDirectory();
  const file = path.join(folder, `${key}.index`);
  // A trace without an index will soon be indexed, so the workers start now.
  const isNew = !fs.existsSync(file);
  if (isNew) startScans();
  const index = openOrRebuild(file, notices);
  if (index.ok) return ok({ index: index.value });
  const isBusy = index.error.code === INDEX_BUSY;
  if (isNew && !isBusy) removeIndexFile(file);
  if (directory !== undefined && !isBusy) return index;
  const temporaryFolder = makeTemporaryFolder(scratch);
  if (temporaryFolder === undefined) return index;
  const why = isBusy ? `another program keeps ${file} locked` : `${folder} cannot be written`;
  notices.push(`${why}; this index is temporary, in ${temporaryFolder}`);
  const temporary = openOrRebuild(path.join(temporaryFolder, `${key}.index`), notices);
  if (temporary.ok) return ok({ index: temporary.value, temporaryFolder });
  fs.rmSync(temporaryFolder, { recursive: true, force: true });
  return temporary;
}

/** Returns undefined if the folder cannot be created. */
function makeTemporaryFolder(scratch = os.tmpdir()): string | undefined {
  try {
    makeFolder(scratch);
    return fs.mkdtempSync(path.join(scratch, 'index-'));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return undefined;
  }
}

function openOrRebuild(file: string, notices: string[]): Result<IndexFile> {
  try {
    return openIndexFile(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return rebuilt(file, notices);
  }
}

function rebuilt(file: string, notices: string[]): Result<IndexFile> {
  const removed = removeIndexFile(file);
  if (!removed.ok) return fail(removed.error.code, `the index is damaged: ${removed.error.message}`);
  notices.push('the index was damaged and is built again');
  return openIndexFile(file);
}

/** Calls `make` with the index, and again with a new index if the first turns out to be damaged. */
function makeWithSoundIndex<T>(
  index: IndexFile,
  notices: string[],
  make: (index: IndexFile) => T,
): Result<{ index: IndexFile; made: T }> {
  try {
    return ok({ index, made: make(index) });
  } catch (error) {
    if (!isDamage(error)) throw error;
    index.close();
    const fresh = rebuilt(index.path, notices);
    return fresh.ok ? ok({ index: fresh.value, made: make(fresh.value) }) : fresh;
  }
}
