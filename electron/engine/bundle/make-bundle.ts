/**
 * Makes the evidence bundle of a trace: its notebook, reports with their figures, the records that these cite, and how the workbench was
 * left.
 */
import { basename, extname } from 'node:path';
import { bytes as sizeText, group } from '../../../shared/base/numbers.ts';
import { assert, fail, ok, type Result } from '../../../shared/base/result.ts';
import { CITED_RECORDS, CONTEXT, SLICE_BYTES, SLICES_MOST } from '../../../shared/requests/bundle/limits.ts';
import type { BundleArguments, BundleFile } from '../../../shared/requests/bundle/bundles.ts';
import type { BundleSlice, Manifest } from '../../../shared/requests/bundle/manifest.ts';
import type { Note, View } from '../../../shared/requests/notes.ts';
import { NOTEBOOK_UNREADABLE } from '../../../shared/requests/failures.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import { lenient, list, oneOf, optional, parse, partOfFile, record } from '../../../shared/requests/schema.ts';
import { comparesRuns, parsePlan, type ReportPlan } from '../../../shared/report/plan.ts';
import { noSlices, openableRange, sliceOrWhole } from '../export/slice.ts';
import { kept } from '../kept/kept.ts';
import { writeNotes } from '../notebook/exchange.ts';
import { contentOfNote, contentOfView } from '../notebook/rows.ts';
import { defaultPlan } from '../report/default-plan.ts';
import { identityOf } from '../report/make-document.ts';
import { PROGRAM } from '../report/program.ts';
import { readReport } from '../report/read-report.ts';
import { report } from '../report/report.ts';
import type { Task } from '../threads/task.ts';
import { beyond, reachOf, type Trace } from '../trace.ts';
import { citedRecords, joined, type Citation, type CitedRecords } from './citations.ts';
import { contentsOf, encoded, memberName, pack, type Described } from './contents.ts';
import { jsonValue } from '../../../shared/base/json-value.ts';
import { mergeItems } from './merge-notes.ts';

/** @param stateDirectory folder of what the page keeps between two starts */
export async function makeBundle(
  trace: Trace,
  args: Omit<BundleArguments, 'trace'>,
  stateDirectory: string,
  task: Task<ReportProgress>,
): Promise<Result<BundleFile>> {
  const reach = reachOf(trace);
  if (!reach.complete) return beyond(reach.records, reach);
  const held = await trace.notebook.readSoon();
  if (!held.ok) return held;
  const { exists, unreadable } = held.value;
  if (exists && unreadable > 0)
    return fail(
      NOTEBOOK_UNREADABLE,
      `${held.value.path}: rows of this notebook cannot be read, so a bundle would lack their notes; name another with --notebook`,
    );
  const { items: notes } = mergeItems(held.value.notes, [], contentOfNote);
  const { items: views } = mergeItems(held.value.views, [], contentOfView);
  const members = new Map<string, Uint8Array>();
  const identity = await identityOfTrace(trace, args, task);
  if (!identity.ok) return identity;
  const reports = await addReports(trace, { ...args, views }, members, task);
  if (!reports.ok) return reports;
  const view = args.view ?? (await kept(stateDirectory, trace.file.path)).traces[0]?.view;
  const workbenches = view === undefined ? [] : [add(members, 'workbench', view, '.json')];
  const { context = CONTEXT, citedRecords: most = CITED_RECORDS } = args;
  const cited = citedRecords(
    [
      ...notes.map(citationOfNote),
      ...views.flatMap(({ name, content }) => citationsOfView(`the view '${name}'`, content)),
      ...(view === undefined ? [] : citationsOfView('the workbench', view)),
      ...reports.value.citations,
    ],
    { records: reach.records, context, most },
  );
  const slices = await addSlices(trace, cited.ranges, args.sliceBytes ?? SLICE_BYTES, members, task);
  if (!slices.ok) return slices;
  const probe = trace.notebook.identity();
  if (!probe.ok) return probe;
  const described: Described = {
    programs: [PROGRAM],
    ...identity.value,
    notes: add(members, 'notes', writeNotes(probe.value, basename(trace.file.path), { notes, views }), '.json'),
    slices: slices.value.slices,
    reports: reports.value.reports,
    workbenches,
    leftOut: [...reports.value.leftOut, ...cited.leftOut, ...slices.value.leftOut],
  };
  return ok({ bytes: pack(described, members), contents: contentsOf(described, { notes, views }) });
}

function add(members: Map<string, Uint8Array>, folder: string, text: string, ending: string): string {
  const content = encoded(text);
  const name = memberName(folder, content, ending);
  members.set(name, content);
  return name;
}

async function identityOfTrace(
  trace: Trace,
  { noSha256 = false }: Omit<BundleArguments, 'trace'>,
  task: Task<ReportProgress>,
): Promise<Result<Pick<Manifest, 'trace' | 'images'>>> {
  const plan = { title: '', parts: [], made: new Date(0).toISOString(), sha256: !noSha256 };
  const name = basename(trace.file.path);
  const identity = await identityOf(
    trace,
    { plan, notes: [], program: PROGRAM, name: 'bundle', traceName: name },
    task,
  );
  if (!identity.ok) return identity;
  const { bytes, sha256, records, format } = identity.value.trace;
  return ok({
    trace: {
      name,
      bytes,
      probe: trace.probe,
      ...(sha256 !== undefined && { sha256 }),
      records,
      format: {
        id: format.id,
        name: format.name,
        ...(format.dialect !== undefined && { dialect: format.dialect }),
        options: format.options,
      },
    },
    images: identity.value.images.map(({ name, form, bytes: size, sha256: digest, shift, base, rawNames }) => ({
      name,
      form,
      bytes: size,
      sha256: digest,
      ...(shift !== undefined && { shift }),
      ...(base !== undefined && { base }),
      ...(rawNames !== undefined && { rawNames }),
    })),
  });
}

interface Reports {
  readonly reports: Manifest['reports'];
  readonly citations: readonly Citation[];
  readonly leftOut: readonly string[];
}

async function addReports(
  trace: Trace,
  { plans, noSha256 = false, views }: Pick<BundleArguments, 'plans' | 'noSha256'> & { readonly views: readonly View[] },
  members: Map<string, Uint8Array>,
  task: Task<ReportProgress>,
): Promise<Result<Reports>> {
  const usual = plans === undefined ? await defaultPlan(trace, false, task) : ok(undefined);
  if (!usual.ok) return usual;
  const saved = plans === undefined ? views.flatMap(({ content }) => plansIn(content)) : [];
  const reports: { member: string; title: string }[] = [];
  const citations: Citation[] = [];
  const leftOut: string[] = [];
  for (const plan of [...(plans ?? []), ...(usual.value === undefined ? [] : [usual.value]), ...saved]) {
    const name = `the report '${plan.title}'`;
    if (comparesRuns(plan)) {
      leftOut.push(`${name} compares two runs, and a bundle is about one.`);
      continue;
    }
    const made = await report(trace, { plan: { ...plan, sha256: !noSha256 }, as: 'html' }, task);
    if (!made.ok) return made;
    const [page] = made.value.files;
    assert(page !== undefined, 'a report in HTML is one file');
    const html = new TextDecoder().decode(page.bytes);
    reports.push({ member: add(members, 'reports', html, '.html'), title: plan.title });
    citations.push(...citationsOfReport(name, html));
  }
  return ok({ reports, citations, leftOut });
}

/** Returns the plan of a report that the notebook keeps as a view; none for other views. */
function plansIn(content: string): readonly ReportPlan[] {
  const value = jsonValue(content);
  if (typeof value !== 'object' || value === null || !('plan' in value)) return [];
  const plan = parsePlan(value.plan);
  return plan.ok && plan.value.parts.length > 0 ? [plan.value] : [];
}

const citedItem = partOfFile({
  sources: lenient(
    list(partOfFile({ of: optional(oneOf(['other'])), records: partOfFile({ from: record, to: record }) }), 10_000, 0),
  ),
});

/** Most records that a part of a report is made from and a bundle holds: a part about more is about the whole run. */
const PART_RECORDS = 2000;

function citationsOfReport(by: string, html: string): readonly Citation[] {
  const read = readReport(html);
  assert(read.ok, 'a report that was just made can be read');
  return read.value.document.items.flatMap((item) => {
    const parsed = parse(citedItem, item);
    return parsed.ok
      ? (parsed.value.sources ?? []).flatMap(({ of, records: { from, to } }) =>
          of === undefined && to > from && to - from <= PART_RECORDS ? [{ from, to, by }] : [],
        )
      : [];
  });
}

function citationOfNote({ title, id, place: { n, to = n + 1 } }: Note): Citation {
  return { from: n, to, by: `the note '${title === '' ? id : title}'` };
}

const citedView = partOfFile({
  n: lenient(record),
  range: lenient(partOfFile({ from: record, to: record })),
});

function citationsOfView(by: string, content: string): readonly Citation[] {
  const view = parse(citedView, jsonValue(content));
  if (!view.ok) return [];
  const { n, range } = view.value;
  return [
    ...(n === undefined ? [] : [{ from: n, to: n + 1, by }]),
    ...(range === undefined || range.to <= range.from ? [] : [{ ...range, by }]),
  ];
}

async function addSlices(
  trace: Trace,
  ranges: readonly CitedRecords[],
  bytesMost: number,
  members: Map<string, Uint8Array>,
  task: Task<ReportProgress>,
): Promise<Result<{ readonly slices: readonly BundleSlice[]; readonly leftOut: readonly string[] }>> {
  const slices: BundleSlice[] = [];
  const leftOut: string[] = [];
  let left = bytesMost;
  const wanted: CitedRecords[] = [];
  for (const { from, to, by } of rangesOf(trace, ranges)) {
    const range = openableRange(trace, { from, to });
    if (!range.ok) return range;
    if (range.value !== undefined) wanted.push({ ...range.value, by });
    else
      leftOut.push(
        `${citedText({ from, to, by })} are not in the bundle: no record shortly before them can begin a trace.`,
      );
  }
  for (const [i, cited] of joined(wanted).entries()) {
    task.progress(() => ({ done: i, of: wanted.length, what: 'cited records' }));
    const { from, to } = cited;
    const found = await sliceOrWhole(trace, { from, to }, task);
    if (!found.ok) return found;
    const { header, start, stop, lines, stateRecords, state } = found.value;
    const head = encoded(lines);
    const size = header + head.length + stop - start;
    if (size > left || slices.length === SLICES_MOST) {
      leftOut.push(`${citedText(cited)} are not in the bundle: its slices are limited to ${sizeText(bytesMost)}.`);
      continue;
    }
    left -= size;
    const content = new Uint8Array(size);
    content.set(head, header);
    for (const [offset, target, length] of [
      [0, 0, header],
      [start, header + head.length, stop - start],
    ] as const) {
      const read = trace.reader.source.read(offset, content, target, length);
      if (!read.ok) return read;
    }
    const ending = extname(trace.file.path).toLowerCase();
    const name = memberName(
      'slices',
      content,
      /^\.[a-z0-9]{1,10}$/.test(ending) ? ending : '.trace',
      `${String(from)}-${String(to - 1)}-`,
    );
    members.set(name, content);
    slices.push({
      member: name,
      state: add(members, 'states', `${JSON.stringify(state, undefined, 2)}\n`, '.json'),
      from,
      to,
      stateRecords,
      stateBytes: head.length,
      header,
      start,
      stop,
      by: [...cited.by],
    });
  }
  return ok({ slices, leftOut });
}

function citedText({ from, to, by }: CitedRecords): string {
  return `Records ${group(from)} to ${group(to - 1)}, which ${by.join(', ')} cites,`;
}

/** A trace whose parts would not open is cited as a whole. */
function rangesOf(trace: Trace, ranges: readonly CitedRecords[]): readonly CitedRecords[] {
  if (noSlices(trace) === undefined || ranges.length === 0) return ranges;
  return [{ from: 0, to: trace.blocks.records, by: [...new Set(ranges.flatMap(({ by }) => by))] }];
}
