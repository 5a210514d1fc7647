/** Questions for every request about an open trace, with the edge values of their arguments. */
import { EXPORT_TABLES } from '../../shared/requests/tables/export.ts';
import type { Answer, Arguments, RequestName } from '../../shared/requests/requests.ts';
import { SIDES } from '../../shared/requests/compare.ts';
import { ACCESS_WAYS, EXPORT_FORMS } from '../../shared/requests/records.ts';
import { WATCH_FORMS, type WatchSubject } from '../../shared/requests/watches.ts';
import { STEPS } from '../../shared/requests/flow.ts';
import { REPORT_FORMS } from '../../shared/requests/reports.ts';
import type { Kind } from '../../shared/records/record.ts';
import type { Hex } from '../../shared/base/units.ts';
import type { Engine } from '../../electron/engine/engine.ts';
import { ask } from './ask.ts';

/** The last address, and the end of a span of 16 bytes that begins a few bytes before it. Only callers in the program can give the end. */
export const LAST: Hex = '0xffffffffffffffff';
export const BEYOND: Hex = '0x1000000000000000c';
const NEAR_LAST: Hex = '0xfffffffffffffffb';
const TOP: Hex = '0x10000000000000000';

/** Facts of a complete trace that its questions are made of. */
export interface Facts {
  readonly path: string;
  readonly images: NonNullable<Arguments<'open'>['images']>;
  readonly records: number;
  readonly bytes: number;
  /** Addresses of accesses, the lowest and the highest first. */
  readonly addresses: readonly Hex[];
  readonly kinds: readonly Kind[];
  readonly registers: readonly string[];
  readonly value: Hex;
  readonly lastTime: number;
  readonly edge: Answer<'calls'>['edges'][number] | undefined;
  readonly branch: { readonly source: Hex | null; readonly target: Hex | null };
  readonly notes: string;
  readonly report: string;
}

export async function factsOf(
  engine: Engine,
  trace: string,
  path: string,
  images: NonNullable<Arguments<'open'>['images']>,
): Promise<Facts> {
  const info = await ask(engine, 'info', { trace });
  const some = await ask(engine, 'records', { trace, from: Math.floor(info.records / 2), count: 50 });
  const seen = some.records.flatMap(({ address }) => (address === undefined ? [] : [address]));
  const registers = await ask(engine, 'registers', { trace, at: info.records });
  // Some formats have no program flow.
  const calls = await engine.request('calls', { trace });
  const branches = await engine.request('branches', { trace });
  const branch = branches.ok ? branches.value.edges[0] : undefined;
  const plan = { title: 'T', made: '2026-01-01T00:00:00Z', parts: [{ kind: 'summary' } as const] };
  const report = await ask(engine, 'report', { trace, plan, as: 'json' });
  return {
    path,
    images,
    records: info.records,
    bytes: info.file.bytes,
    addresses: [info.address?.lowest ?? '0x0', info.address?.highest ?? '0x0', ...seen.slice(0, 2)],
    kinds: Object.keys(info.kinds) as Kind[],
    registers: registers.files.flatMap((file) => file.registers.map(({ name }) => name)).slice(0, 1),
    value: some.records.find(({ value }) => value !== undefined)?.value ?? '0x0',
    lastTime: Number(info.time?.last ?? 0),
    edge: calls.ok ? calls.value.edges[0] : undefined,
    branch: { source: branch?.source ?? null, target: branch?.target ?? null },
    notes: (await ask(engine, 'exportNotes', { trace })).text,
    report: Buffer.from(report.files[0]?.bytes ?? []).toString(),
  };
}

/** Requests that are not asked again and again, each with the reason. */
export const LEFT_OUT = {
  open: 'every round opens the trace, and compares its answers',
  close: 'ends the trace',
  index: 'every round builds the index, and compares the numbers of records',
  watchNotebook: 'has no answer until it is cancelled',
  kept: 'is about no index',
  keepTrace: 'is about no index',
  forgetTrace: 'is about no index',
  keepSettings: 'is about no index',
  makeSample: 'is about no index',
  stopWhy: 'changes another request',
  readBundle: 'is about a file of its own',
  bundleText: 'is about a file of its own',
  bundleSlice: 'is about a file of its own',
  importBundle: 'is about a file of its own',
  mergeBundles: 'is about files of their own',
  verifyBundle: 'is about a file of its own',
  bundle: 'has the time in it at which its report was made',
} as const;

type RepeatedRequest = Exclude<RequestName, keyof typeof LEFT_OUT>;
type Questions = { readonly [N in RepeatedRequest]: (facts: Facts, trace: string) => readonly Arguments<N>[] };

/** Requests that take milliseconds, or whose answers do not depend on the index. */
export const SLOW: ReadonlySet<RequestName> = new Set<RequestName>([
  'formats',
  'figure',
  'report',
  'reportPlan',
  'verify',
  'detect',
  'preview',
  'images',
  'imagesBeside',
  'imageMatches',
  'importNotes',
  'changeNotebook',
  'sourceFile',
  'inlinedAt',
  'variables',
  'variable',
]);

/** Requests that wait for the pool or run in slices, so that the index can grow while they are answered. */
export const LONG: ReadonlySet<RequestName> = new Set<RequestName>([
  'tally',
  'hottest',
  'heat',
  'findAll',
  'calls',
  'prepareFlow',
  'branches',
  'memory',
  'watchImage',
  'watchChange',
  'watchHistory',
  'watchPlot',
  'why',
]);

export const QUESTIONS: Questions = {
  formats: () => [{}],
  // The folder itself has other contents from moment to moment.
  folder: ({ path }) => [{ path }, { path: `${path}.absent` }],
  detect: ({ path }) => [{ path }, { path: `${path}.absent` }],
  preview: ({ path }) => [
    { path, format: 'tarmac' },
    { path, format: 'din' },
    { path, format: 'unknown' },
  ],
  images: ({ images }) => [{ images }, { images: [{ path: '/absent' }] }],
  info: (_, trace) => [{ trace }],
  diagnostics: (_, trace) => [{ trace }],
  imageMatches: ({ images }, trace) => [{ trace }, { trace, images: images.slice(-1) }],
  imagesBeside: (_, trace) => [{ trace }],
  pages: (_, trace) => [4096, 2 ** 33, 2 ** 52].map((size) => ({ trace, size })),
  records: (facts, trace) => positions(facts).flatMap((from) => [1, 7].map((count) => ({ trace, from, count }))),
  recordsAt: ({ records }, trace) =>
    [[0], [0, Math.floor(records / 2), Math.max(1, records) + records], [Number.MAX_SAFE_INTEGER]].map((numbers) => ({
      trace,
      numbers,
    })),
  bytes: ({ bytes }, trace) =>
    [0, Math.floor(bytes / 2), Math.max(0, bytes - 1), bytes, 2 ** 32, Number.MAX_SAFE_INTEGER].map((offset) => ({
      trace,
      offset,
      length: 40,
    })),
  recordAt: ({ bytes }, trace) =>
    [0, Math.floor(bytes / 2), Math.max(0, bytes - 1), bytes, 2 ** 32, Number.MAX_SAFE_INTEGER].map((offset) => ({
      trace,
      offset,
    })),
  sql: (facts, trace) => [
    { trace, sql: 'SELECT count(*), max(n) FROM records' },
    { trace, sql: 'SELECT * FROM records WHERE n >= :n LIMIT 3', set: { n: String(Math.max(0, facts.records - 5)) } },
    { trace, sql: 'SELECT 1', limit: 1, seconds: 60 },
  ],
  recordAtTime: ({ lastTime }, trace) =>
    [-1, 0, lastTime / 2, lastTime, lastTime + 1, 2 ** 53, 1e300].map((time) => ({ trace, time })),
  exportPart: (facts, trace) =>
    EXPORT_FORMS.flatMap((as) => [
      { trace, as, from: Math.max(0, facts.records - 20), head: true },
      { trace, as, from: 1, to: 9 },
      { trace, as, from: 0, to: 0 },
      { trace, as, from: Number.MAX_SAFE_INTEGER },
    ]),
  slice: (facts, trace) => [
    { trace, from: 0, to: facts.records },
    { trace, from: Math.floor(facts.records / 2), to: facts.records },
    { trace, from: facts.records, to: facts.records + 1 },
  ],
  exportPlan: (_facts, trace) => EXPORT_TABLES.map((table) => ({ trace, table, fileRecords: 100, part: 1, parts: 2 })),
  exportGroup: (facts, trace) =>
    EXPORT_TABLES.map((table) => ({ trace, table, from: 0, to: facts.records, signed: table === 'calls' })),
  find: (facts, trace) => [
    ...searches(facts).flatMap((criteria) => [
      { trace, ...criteria },
      { trace, ...criteria, limit: 5, before: facts.records },
      { trace, ...criteria, limit: 3, after: Math.floor(facts.records / 2) },
    ]),
    { trace, after: Number.MAX_SAFE_INTEGER },
    { trace, from: 5, to: 5 },
  ],
  findAll: (facts, trace) =>
    searches(facts).flatMap((criteria) => [
      { trace, ...criteria, columns: 7, most: 1_000_000 },
      { trace, ...criteria, from: 1, to: facts.records + 1, most: 2 },
    ]),
  values: (facts, trace) => [
    { trace, columns: 4, register: 'r0' },
    { trace, columns: 3, register: 'eax', cpu: 1, from: 1, to: facts.records },
    ...spans(facts).map(({ low }) => ({ trace, columns: 2, address: low })),
  ],
  registers: (facts, trace) =>
    positions(facts).flatMap((at) => [
      { trace, at },
      { trace, at, cpu: 32_767 },
    ]),
  memory: (facts, trace) =>
    positions(facts).flatMap((at) => [
      ...facts.addresses.map((address) => ({ trace, at, address, length: 64 })),
      { trace, at, address: NEAR_LAST, length: 5 },
      { trace, at, address: NEAR_LAST, length: 16, opcodes: true, image: true },
      { trace, at, address: '0x0', length: 200, opcodes: true, image: true } as const,
    ]),
  access: (facts, trace) =>
    ACCESS_WAYS.flatMap((way) =>
      [0, facts.records, Number.MAX_SAFE_INTEGER].flatMap((at) => [
        ...spans(facts).map((address) => ({ trace, way, at, address })),
        ...[...facts.registers, 'unknown'].map((register) => ({ trace, way, at, register })),
      ]),
    ),
  bands: (facts, trace) => [{ trace }, { trace, most: 1 }, { trace, from: 3, to: 3 }, { trace, to: facts.records + 9 }],
  names: (_, trace) => [
    { trace, low: '0x0', high: TOP, most: 5 },
    { trace, low: NEAR_LAST, high: TOP, most: 5 },
  ],
  symbols: (_, trace) => ['main', 'UNKNOWN', 'a'].map((text) => ({ trace, text, most: 3 })),
  symbolsNamed: (_, trace) => ['main', 'unknown'].map((name) => ({ trace, name })),
  symbolsAt: (_, trace) => [{ trace, addresses: ['0x0', '0x8000', NEAR_LAST] }],
  heat: (facts, trace) =>
    (['even', 'quick', 'fine'] as const).flatMap((precision) => [
      { trace, precision, columns: 7, rows: 5 },
      { trace, precision, columns: 1, bands: [{ low: NEAR_LAST, high: TOP, rows: 3 }] },
      { trace, precision, columns: 3, bands: [{ low: '0x0', high: TOP, rows: 2 }], kinds: facts.kinds.slice(0, 2) },
      { trace, precision, columns: 2, rows: 2, from: facts.records, to: facts.records + 5 },
      { trace, precision, columns: 2, rows: 2, from: 1, to: 1 },
    ]),
  tally: (facts, trace) => [
    { trace },
    { trace, low: NEAR_LAST, high: TOP },
    { trace, low: '0x0', high: '0x1' },
    { trace, from: 1, to: facts.records + 5, kinds: facts.kinds.slice(0, 1) },
    { trace, from: 2, to: 2 },
  ],
  hottest: (facts, trace) => [
    { trace, by: 'page', most: 5 },
    { trace, by: 'page', most: 9, low: NEAR_LAST, high: TOP, kinds: facts.kinds.slice(0, 1) },
    { trace, by: 'page', most: 9, from: 1, to: facts.records + 5, low: '0x1', high: '0x10003' },
    { trace, by: 'symbol', most: 3, from: 2, to: 2 },
  ],
  overview: ({ records }, trace) => [
    { trace, columns: 7 },
    { trace, columns: 16_384 },
    { trace, columns: 3, from: records, to: records + 1 },
  ],
  branches: (facts, trace) => [
    { trace },
    { trace, most: 0 },
    { trace, from: 1, to: facts.records },
    { trace, kinds: ['call', 'return'] },
    { trace, from: 4, to: 4 },
  ],
  branchEvents: (facts, trace) => [
    { trace, count: 20 },
    { trace, count: 20, backwards: true },
    { trace, count: 5, source: null },
    { trace, count: 5, target: facts.addresses[2] ?? '0x0' },
    { trace, count: 2, ...facts.branch },
    { trace, count: 10_000, ...facts.branch },
    { trace, count: 5, source: facts.branch.target, target: facts.branch.source },
    { trace, count: 5, target: LAST },
    { trace, count: 5, from: facts.records },
    { trace, count: 5, kinds: ['call'] },
  ],
  captures: (_, trace) => [
    { trace, count: 3 },
    { trace, count: 3, from: 2 ** 40 },
  ],
  captureFlow: ({ records }, trace) => [
    { trace, capture: 0 },
    { trace, capture: 2 ** 40 },
    { trace, at: records - 1, places: true },
    { trace, at: records + 1 },
  ],
  calls: (facts, trace) => [{ trace }, { trace, from: 1, to: facts.records }, { trace, from: facts.records }],
  tree: (facts, trace) => [{ trace }, { trace, depth: 0 }, { trace, from: 1, to: facts.records }],
  profile: (facts, trace) => [
    { trace },
    { trace, by: 'time' },
    { trace, from: 1, to: facts.records },
    { trace, from: facts.records },
  ],
  loops: (_facts, trace) => [{ trace }],
  coverage: (_facts, trace) => [{ trace }],
  sourceAt: (facts, trace) => positions(facts).map((at) => ({ trace, at })),
  sourceFile: (_facts, trace) => [{ trace, file: '/etc/passwd', folders: ['/absent'] }],
  inlinedAt: (_facts, trace) => [{ trace, addresses: ['0x8000', LAST] }],
  sourceLines: (_facts, trace) => [{ trace, file: 'unknown.c', first: 1, last: 4000 }],
  lineInstructions: (_facts, trace) => [{ trace, file: 'unknown.c', line: 1 }],
  lineExecution: (facts, trace) =>
    positions(facts).flatMap((at) => [
      { trace, at, file: 'unknown.c', line: 1 },
      { trace, at, address: '0x8000' },
    ]),
  lineStep: (facts, trace) => positions(facts).map((at) => ({ trace, at, step: 'into' })),
  code: (facts, trace) => [
    { trace, count: 20 },
    { trace, count: 5, first: facts.records },
    { trace, count: 5, address: LAST },
  ],
  coverageFiles: (_facts, trace) => [{ trace }],
  codeTimes: (facts, trace) => [{ trace }, { trace, from: 1, to: facts.records }],
  codeDifference: (_facts, trace) => [{ trace, other: trace }],
  codeCosts: (_facts, trace) => [{ trace }, { trace, opened: ['0x8000', LAST] }, { trace, by: 'time' }],
  spans: (facts, trace) => [
    { trace },
    { trace, columns: 1 },
    { trace, from: 1, to: facts.records },
    { trace, cpu: 32_767 },
  ],
  timeline: (facts, trace) => [{ trace }, { trace, columns: 1 }, { trace, from: 1, to: facts.records, cpu: 32_767 }],
  stack: (facts, trace) =>
    positions(facts).flatMap((at) => [
      { trace, at },
      { trace, at, cpu: 0 },
    ]),
  step: (facts, trace) => positions(facts).flatMap((at) => STEPS.map((step) => ({ trace, at, step }))),
  depths: (facts, trace) => positions(facts).map((from) => ({ trace, from, count: 20 })),
  between: (facts, trace) => positions(facts).map((from) => ({ trace, from, count: 20 })),
  nextCall: ({ edge, records }, trace) =>
    (['next', 'previous'] as const).flatMap((direction) =>
      [0, records, Number.MAX_SAFE_INTEGER].map((at) => ({
        trace,
        caller: edge?.caller ?? 'unknown',
        callee: edge?.callee ?? 'unknown',
        kind: edge?.kind ?? 'call',
        inferred: edge?.inferred ?? false,
        at,
        direction,
      })),
    ),
  notebook: (_, trace) => [{ trace }],
  changeNotebook: (_, trace) => [
    { trace, put: [] },
    { trace, remove: [{ id: 'unknown' }] },
  ],
  importNotes: ({ notes }, trace) => [
    { trace, text: notes },
    { trace, text: 'no notes' },
  ],
  exportNotes: (_, trace) => [{ trace }],
  figure: (_, trace) => [
    { trace, as: 'svg', figure: { figure: 'heat', columns: 20, rows: 10 } },
    { trace, as: 'svg', figure: { figure: 'heat', low: NEAR_LAST, high: TOP, columns: 20, rows: 10 } },
    { trace, as: 'svg', figure: { figure: 'overview' } },
    { trace, as: 'svg', figure: { figure: 'graph' } },
    { trace, as: 'svg', figure: { figure: 'flame', order: 'time' } },
  ],
  reportPlan: (_, trace) => [{ trace }],
  report: (_, trace) =>
    REPORT_FORMS.filter((as) => as !== 'pdf').map((as) => ({
      trace,
      as,
      plan: {
        title: 'Moments',
        made: '2026-01-01T00:00:00Z',
        sha256: false,
        parts: [
          { kind: 'summary' },
          { kind: 'diagnostics' },
          { kind: 'table', table: 'branches' },
          { kind: 'table', table: 'functions' },
          { kind: 'table', table: 'pages' },
        ],
      },
    })),
  verify: ({ report }, trace) => [
    { trace, report },
    { trace, report: 'no report' },
  ],
  variables: (_, trace) => ['a', 'UNKNOWN'].map((text) => ({ trace, text, most: 3 })),
  variable: (_, trace) => ['main', 'unknown'].map((name) => ({ trace, name })),
  watchValues: (facts, trace) => positions(facts).map((at) => ({ trace, at, subjects: watched(facts) })),
  watchImage: (facts, trace) => [
    { trace, subjects: watched(facts) },
    ...positions(facts).map((at) => ({ trace, at, subjects: watched(facts) })),
  ],
  watchChange: (facts, trace) =>
    watched(facts).flatMap((subject) =>
      (['last', 'next'] as const).flatMap((way) => positions(facts).map((at) => ({ trace, subject, way, at }))),
    ),
  watchHistory: (facts, trace) =>
    watched(facts).flatMap((subject) => [
      { trace, subject, most: 3 },
      { trace, subject, most: 1000, from: 1, to: facts.records + 1 },
      { trace, subject, most: 1, from: Number.MAX_SAFE_INTEGER },
    ]),
  watchPlot: (facts, trace) =>
    watched(facts).flatMap((subject) =>
      WATCH_FORMS.flatMap((form) => [
        { trace, subject, columns: 7, form, endian: 'little' as const, width: 4 },
        { trace, subject, columns: 16_384, form, endian: 'big' as const, width: 8, from: 3, to: 3 },
      ]),
    ),
  why: (facts, trace) =>
    positions(facts).flatMap((at) => [
      { trace, at, register: facts.registers[0] ?? 'r0', steps: 5 },
      { trace, at, address: facts.addresses[0] ?? '0x8000', length: 4, addresses: true, control: true, steps: 5 },
      { trace, at, pc: true, steps: 5 },
    ]),
  prepareFlow: (_, trace) => [{ trace }],
  shift: (_, trace) => [{ trace, other: trace }],
  diff: (_, trace) => [
    { trace, other: trace },
    { trace, other: trace, cpu: 0, shift: '-4', most: 3 },
    { trace, other: trace, by: 'values' as const, ignore: ['r0'], only: 'first' as const },
    { trace, other: trace, ignoreRanges: [{ low: '0x8000', high: '0x80ff' }] as const, confirm: true },
    { trace, other: trace, by: 'symbol' as const },
    { trace, other: trace, by: 'path' as const },
  ],
  alignedRows: ({ records }, trace) =>
    [0, Math.floor(records / 3), Number.MAX_SAFE_INTEGER].map((from) => ({ trace, other: trace, from, count: 5 })),
  counterpart: (facts, trace) =>
    positions(facts).flatMap((at) => SIDES.map((side) => ({ trace, other: trace, at, side }))),
  stateDifference: (facts, trace) =>
    positions(facts).map((at) => ({ trace, other: trace, at, otherAt: Math.floor(facts.records / 2) })),
};

function watched({ addresses, registers }: Facts): readonly WatchSubject[] {
  return [
    ...addresses.map((address) => ({ address, bytes: 1 })),
    { address: NEAR_LAST, bytes: 5 },
    ...[...registers, 'unknown'].map((register) => ({ register })),
    ...registers.map((register) => ({ register, cpu: 0 })),
  ];
}

function positions({ records }: Facts): readonly number[] {
  return [0, Math.floor(records / 2), Math.max(0, records - 1), records, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
}

function spans({ addresses }: Facts): readonly { readonly low: Hex; readonly high: Hex }[] {
  return [
    { low: NEAR_LAST, high: BEYOND },
    { low: NEAR_LAST, high: LAST },
    { low: '0x0', high: LAST },
    { low: '0x0', high: BEYOND },
    ...addresses.map((low) => ({ low, high: low })),
  ];
}

function searches(facts: Facts): readonly Omit<Arguments<'findAll'>, 'trace' | 'columns' | 'most'>[] {
  return [
    ...spans(facts).map((address) => ({ address })),
    {},
    { kinds: facts.kinds.slice(-1) },
    { value: facts.value },
    { value: facts.value, width: 256 },
    { value: '0x0', width: 1 },
    ...[...facts.registers, 'unknown'].map((register) => ({ register })),
    { text: '0[0-9a-f]+ ?' },
    { text: '(?=0)0' },
    { text: 'no such text' },
  ];
}
