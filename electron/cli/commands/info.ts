/** `info`: facts about a trace. */
import type {
  DiagnosticGroup,
  FormatFacts,
  ImageMatch,
  IndexPart,
  TraceInfo,
} from '../../../shared/requests/requests.ts';
import { KINDS } from '../../../shared/records/record.ts';
import type { Kind } from '../../../shared/records/record.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { isArchive } from '../bundle/archive-file.ts';
import { bundleInfo } from '../bundle/bundle-info.ts';
import { command } from '../command.ts';
import type { Context } from '../command.ts';
import { diagnosticsTable } from '../print/info-diagnostics.ts';
import { imageFacts } from '../print/info-images.ts';
import { bytes, counted, group, timeTaken } from '../../../shared/base/numbers.ts';
import { createTable, facts } from '../print/table.ts';
import { withTrace } from '../trace.ts';

export const info = command({
  name: 'info',
  text: 'Facts about a trace: format, records, kinds, times, addresses, unreadable parts',
  notes: 'TRACE may also be a bundle (`tracebench bundle`): what it holds, and of which trace.',
  trace: 'needed',
  options: {},
  run: (context) => (isArchive(context.trace) ? bundleInfo(context) : traceInfo(context)),
});

function traceInfo(context: Context): Promise<Result<void>> {
  return withTrace(context, async (trace) => {
    const indexed = await trace.index();
    if (!indexed.ok) return indexed;
    const answer = await trace.request('info', { trace: trace.id, parts: true });
    if (!answer.ok) return answer;
    const bad = await trace.request('diagnostics', { trace: trace.id });
    if (!bad.ok) return bad;
    const compared = await trace.request('imageMatches', { trace: trace.id });
    if (!compared.ok) return compared;
    const matches = compared.value.images;
    const { groups } = bad.value;
    await (context.common.json
      ? context.out.json(document(answer.value, groups, matches))
      : describe(context, answer.value, groups, matches));
    return ok(undefined);
  });
}

/** Returns the counts in the order of KINDS. */
export function kindsInOrder(kinds: Partial<Record<Kind, number>>): Partial<Record<Kind, number>> {
  const found = KINDS.flatMap((kind): readonly [Kind, number][] => (kinds[kind] ? [[kind, kinds[kind]]] : []));
  return Object.fromEntries(found);
}

function document(
  { file, format, images, records, kinds, native, time, address, index }: TraceInfo,
  groups: readonly DiagnosticGroup[],
  matches: readonly ImageMatch[],
) {
  return {
    file: { path: file.path, bytes: file.bytes, compressed: file.compressed },
    format: formatInOrder(format),
    images: images?.map((image, i) => ({ ...image, match: matches[i] })),
    records,
    kinds: kindsInOrder(kinds),
    native,
    time: time && { first: time.first, last: time.last, unit: time.unit },
    address: address && { lowest: address.lowest, highest: address.highest, pages: address.pages },
    diagnostics: groups.map(({ code, count, firstOffset, firstRecord, earlier, text, shapes }) => ({
      code,
      count,
      firstOffset,
      firstRecord,
      earlier,
      text,
      shapes,
    })),
    index: {
      path: index.path,
      bytes: index.bytes,
      complete: index.complete,
      seconds: index.seconds,
      parts: index.parts,
    },
  };
}

function formatInOrder({ id, name, dialect, confidence, reasons, options }: FormatFacts) {
  return { id, name, dialect, confidence: Number(confidence.toFixed(3)), reasons, options };
}

async function describe(
  { out }: Context,
  { file, format, images, records, kinds, native, time, address, index }: TraceInfo,
  groups: readonly DiagnosticGroup[],
  matches: readonly ImageMatch[],
): Promise<void> {
  const options = Object.entries(format.options).map(([name, value]) => `${name}=${value}`);
  const head = facts(
    [
      ['file', file.path],
      ['size', sized(file.bytes)],
      [
        'compressed',
        file.compressed &&
          `${file.compressed.as}, ${sized(file.compressed.bytes)}; expanded in ${file.compressed.expanded}`,
      ],
      ['format', `${format.name} (${[format.id, format.dialect].filter(Boolean).join(', ')})`],
      [
        'confidence',
        `${Math.round(format.confidence * 100)} %${format.reasons.length > 0 ? `, because ${format.reasons.join(', ')}` : ''}`,
      ],
      ['options', options.length > 0 ? options.join(' ') : undefined],
      ...imageFacts(images, matches),
      ['records', group(records)],
      ['time', time && `${group(time.first)} to ${group(time.last)} ${time.unit}`],
      [
        'addresses',
        address &&
          `${address.lowest} to ${address.highest}${address.pages === undefined ? '' : `, ${counted(address.pages, 'page')} of 4 KiB`}`,
      ],
      [
        'index',
        `${sized(index.bytes)}, ${index.complete ? `made in ${timeTaken(index.seconds)}` : 'not complete'}, ${index.path}`,
      ],
    ],
    out.colour,
  );
  const counts = createTable<readonly [string, number]>(
    [
      { title: 'kind', text: ([name]) => name },
      { title: 'records', right: true, text: ([, count]) => group(count) },
    ],
    out.colour,
  );
  const names = createTable<readonly [string, number]>(
    [
      { title: 'name in the format', text: ([name]) => name },
      { title: 'records', right: true, text: ([, count]) => group(count) },
    ],
    out.colour,
  );
  const parts = createTable<{ readonly part: IndexPart; readonly bytes: number }>(
    [
      { title: 'part of the index', text: ({ part }) => PART_TEXT[part] },
      { title: 'size', right: true, text: ({ bytes: its }) => bytes(its) },
      { title: 'of the trace', right: true, text: ({ bytes: its }) => `${((its / file.bytes) * 100).toFixed(2)} %` },
    ],
    out.colour,
  );
  const tables = [
    counts.lines(Object.entries(kindsInOrder(kinds))),
    names.lines(Object.entries(native)),
    parts.lines((index.parts ?? []).filter((part) => part.bytes > 0)),
    diagnosticsTable(groups, out.colour),
  ];
  await out.write([head, ...tables.filter((text) => text.trim() !== '')].join('\n'));
}

const PART_TEXT: Readonly<Record<IndexPart, string>> = {
  blocks: 'blocks: positions of records',
  pages: 'pages: accesses per page',
  heat: 'heat: number of accesses',
  find: 'find: accessed lines',
  touches: 'touches: memory contents per block',
  masks: 'masks: memory contents of many blocks',
  registers: 'registers: register contents',
  flow: 'flow: branches per block',
  effects: 'effects: fingerprints of what instructions read, wrote and set',
  file: 'file: unused space, log',
};

function sized(value: number): string {
  return value < 1000 ? bytes(value) : `${bytes(value)} (${group(value)} bytes)`;
}
