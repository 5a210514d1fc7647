/** Verifies a report against its trace: repeats all queries, renders the results and compares them with the report. */
import { CANCELLED } from '../../../shared/requests/failures.ts';
import type { Difference, ReportProgress, Verified, VerifyArguments } from '../../../shared/requests/reports.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import { dataDifference, shownDifference } from './compare.ts';
import type { ImageIdentity, Item, OtherIdentity, ReportDocument } from './document.ts';
import { identityOf, makeItem, type Identity } from './make-document.ts';
import { readReport, type ReadReport } from './read-report.ts';
import { around, marksOf, piecesOf, withoutDrawing } from './render.ts';
import { line, placeText } from './words.ts';

/** Fails if the report is invalid or of another version, or if the images of the open trace differ from those of the report. */
export async function verify(
  trace: Trace,
  { report, files = [] }: Omit<VerifyArguments, 'trace'>,
  task: Task<ReportProgress>,
  other?: Trace,
): Promise<Result<Verified>> {
  const read = readReport(report);
  if (!read.ok) return read;
  const { document } = read.value;
  if (document.other !== undefined && other === undefined) return fail('other', otherText(document.other));
  const request = {
    plan: document.plan,
    notes: document.notes,
    program: document.program,
    name: document.name,
    traceName: document.trace.name,
    ...(document.other !== undefined &&
      other !== undefined && { other: { trace: other, name: document.other.trace.name } }),
  };
  const identity = await identityOf(trace, request, task);
  if (!identity.ok) return identity;
  const images = sameImages(document.images, identity.value.images);
  if (!images.ok) return images;
  const othersImages = sameImages(document.other?.images ?? [], identity.value.other?.images ?? [], 'image-b');
  if (!othersImages.ok) return othersImages;

  const items: (Item | string)[] = [];
  for (const [i, part] of document.plan.parts.entries()) {
    const item = await makeItem(trace, request, part, task);
    if (task.cancelled() || (!item.ok && item.error.code === CANCELLED)) return task.cancel();
    items.push(item.ok ? item.value : item.error.message);
    task.report({ done: i + 1, of: document.plan.parts.length, what: item.ok ? item.value.title : part.kind });
  }
  const found = { identity: withClaims(identity.value, document), items };
  const differing = [...wholeDifferences(read.value, found), ...partDifferences(read.value, found, files)];
  return ok({
    checked: document.plan.parts.filter(({ kind }) => kind !== 'text').length,
    differing: differing.toSorted((a, b) => a.part - b.part),
  });
}

interface Found {
  readonly identity: Identity;
  /** The item, or the reason why it cannot be made. */
  readonly items: readonly (Item | string)[];
}

/** Adopts claims that may differ from the traces: names of files, and the reasons for the chosen format. */
function withClaims(identity: Identity, document: ReadReport['document']): Identity {
  const others = identity.other;
  return {
    ...identity,
    ...claimed(identity, document),
    ...(others !== undefined && document.other !== undefined && { other: claimed(others, document.other) }),
  };
}

function claimed(identity: OtherIdentity, { trace, images }: OtherIdentity): OtherIdentity {
  const { confidence, reasons } = trace.format;
  return {
    images: identity.images.map((image, i) => {
      const { name = image.name, debug = image.debug } = images[i] ?? {};
      return { ...image, name, ...(image.debug && debug && { debug: { ...image.debug, name: debug.name } }) };
    }),
    trace: { ...identity.trace, format: { ...identity.trace.format, confidence, reasons } },
  };
}

function otherText({ trace }: OtherIdentity): string {
  const digest = trace.sha256 === undefined ? '' : `, SHA-256 ${line(trace.sha256, 64)}`;
  return `the report compares the trace with ${line(trace.name, 80)} (${String(trace.bytes)} bytes${digest}); name it with --against`;
}

/** @param option names the images of one of the traces */
function sameImages(
  wanted: readonly ImageIdentity[],
  given: readonly ImageIdentity[],
  option: 'image' | 'image-b' = 'image',
): Result<undefined> {
  const unlike = wanted.find(({ rawNames }, i) => given[i] !== undefined && given[i].rawNames !== rawNames);
  if (unlike !== undefined) {
    const how =
      unlike.rawNames === true ? 'with raw names; add --raw-names' : 'without raw names; leave out --raw-names';
    return fail('images', `the report was made ${how}`);
  }
  const missing = wanted.find(({ sha256, shift, base }, i) => {
    const own = given[i];
    return own?.sha256 !== sha256 || own.shift !== shift || own.base !== base;
  });
  if (missing !== undefined) {
    const { name, bytes, sha256 } = missing;
    const where = line(placeText(missing), 80);
    const order = wanted.length > 1 ? ', all in their order' : '';
    return fail(
      'images',
      `the report was made with the image ${line(name, 80)} (${String(bytes)} bytes, SHA-256 ${line(sha256, 64)}${where}); name it with --${option}${order}`,
    );
  }
  for (const [i, { name, debug }] of wanted.entries()) {
    if (given[i]?.debug?.sha256 === debug?.sha256) continue;
    const file =
      debug === undefined
        ? 'without a debug file; move it away'
        : `with the debug file ${line(debug.name, 80)} (SHA-256 ${line(debug.sha256, 64)}); put it beside the image`;
    return fail('images', `the report was made with the image ${line(name, 80)} ${file}`);
  }
  const more = given[wanted.length];
  if (more === undefined) return ok(undefined);
  return fail('images', `the report was made without the image ${line(more.name, 80)}; leave it out`);
}

function documentOf({ identity, items }: Found): ReportDocument {
  return { ...identity, items: items.filter((item): item is Item => typeof item !== 'string') };
}

function wholeDifferences({ form, document, before, after }: ReadReport, found: Found): readonly Difference[] {
  const data = dataDifference(plain({ ...document, items: [] }), plain({ ...found.identity, items: [] }));
  if (data !== undefined) return [whole(data)];
  if (form === 'json' || found.items.some((item) => typeof item === 'string')) return [];
  const own = piecesOf(documentOf(found), form);
  const expected = around(own, form, (part) => marksOf(part, '').join(''));
  const regions = regionsOf(before, document);
  const shown =
    regions === undefined
      ? undefined
      : shownDifference(`${regions.around}${after}`, `${expected.before}${expected.after}`);
  if (regions === undefined) return [whole('the marks between its parts were changed')];
  return shown === undefined ? [] : [whole(shown)];
}

function whole(how: string): Difference {
  return { part: 0, what: 'The page around the parts', how };
}

interface Regions {
  readonly items: readonly string[];
  /** The remaining text, with marks without a key. */
  readonly around: string;
}

/** Returns the text of each part, or undefined if marks are missing or in another order. */
function regionsOf(text: string, document: ReadReport['document']): Regions | undefined {
  // All text before the first mark is escaped and contains nothing that looks like a mark.
  const key = /<!-- part 1 ([0-9a-f]{16}) -->/.exec(text)?.[1] ?? '';
  const items: string[] = [];
  let rest = '';
  let at = 0;
  for (const [i] of document.plan.parts.entries()) {
    const [start, end] = marksOf(i + 1, key);
    const from = text.indexOf(start, at);
    const to = from < 0 ? -1 : text.indexOf(end, from);
    if (to < 0) return undefined;
    items.push(text.slice(from + start.length, to));
    rest += `${text.slice(at, from)}${marksOf(i + 1, '').join('')}`;
    at = to + end.length;
  }
  return { items, around: rest + text.slice(at) };
}

function partDifferences(
  read: ReadReport,
  found: Found,
  files: NonNullable<VerifyArguments['files']>,
): readonly Difference[] {
  const { form, document, before } = read;
  const regions = form === 'json' ? undefined : regionsOf(before, document);
  const pieces = form === 'json' ? undefined : shownPieces(found, form);
  const differing: Difference[] = [];
  found.items.forEach((item, i) => {
    const how = howDiffers(item, i, { read, regions, pieces, files });
    if (how !== undefined) differing.push({ part: i + 1, what: titleOf(item, document, i), how });
  });
  return differing;
}

interface Shown {
  readonly texts: readonly (string | undefined)[];
  readonly drawings: readonly { readonly part: number; readonly name: string; readonly text: string }[];
}

/** Renders the parts. A part that cannot be made has no text. */
function shownPieces({ identity, items }: Found, form: 'html' | 'md'): Shown {
  const placeholder: Item = { kind: 'text', title: '', sources: [], data: { text: '' } };
  const all = items.map((item) => (typeof item === 'string' ? placeholder : item));
  const { items: texts, drawings } = piecesOf({ ...identity, items: all }, form);
  return { texts: texts.map((text, i) => (typeof items[i] === 'string' ? undefined : text)), drawings };
}

function howDiffers(
  item: Item | string,
  i: number,
  {
    read,
    regions,
    pieces,
    files,
  }: {
    readonly read: ReadReport;
    readonly regions: Regions | undefined;
    readonly pieces: Shown | undefined;
    readonly files: NonNullable<VerifyArguments['files']>;
  },
): string | undefined {
  if (typeof item === 'string') return `it cannot be computed again: ${item}`;
  const comparable = read.form === 'json' ? item : withoutDrawing(item);
  const data = dataDifference(read.document.items[i], plain(comparable));
  if (data !== undefined) return data;
  const given = regions?.items[i];
  const own = pieces?.texts[i];
  const shown = given === undefined || own === undefined ? undefined : shownDifference(given, own);
  if (shown !== undefined) return shown;
  const drawing = pieces?.drawings.find(({ part }) => part === i + 1);
  if (drawing === undefined) return undefined;
  const file = files.find(({ name }) => name === drawing.name);
  if (file === undefined) return `its drawing, ${drawing.name}, is not next to the report`;
  const same = file.text.replaceAll('\r\n', '\n') === drawing.text;
  return same ? undefined : `${drawing.name}: ${shownDifference(file.text, drawing.text) ?? ''}`;
}

function titleOf(item: Item | string, document: ReadReport['document'], i: number): string {
  if (typeof item !== 'string' && item.title !== '') return item.title;
  const part = document.plan.parts[i];
  return part?.kind === 'text' ? `Text “${line(part.text, 40)}”` : `A ${part?.kind ?? 'part'}`;
}

/** Returns the value as JSON would restore it. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
