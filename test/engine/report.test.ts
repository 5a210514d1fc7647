/** Reports agree with the trace, and `verify` finds every difference. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import type { FigureFile, ReportForm } from '../../shared/requests/reports.ts';
import type { ReportPlan } from '../../shared/report/plan.ts';
import { ask, refusal } from './ask.ts';
import { scratch } from './traces.ts';

const SAMPLE = fileURLToPath(new URL('../samples/tarmac/arm-sort/trace.txt', import.meta.url));
const MADE = '2026-01-31T12:00:00Z';
const TEXT = 'What **matters**:\n\n1. `x < y`\n2. a | b\n\n| a | b |\n| :- | -: |\n| 1 | 2 |\n';
const PLAN: ReportPlan = {
  title: 'Why <sort> & co. are slow',
  made: MADE,
  parts: [
    { kind: 'text', text: `# At a glance\n\n${TEXT}` },
    { kind: 'summary' },
    { kind: 'table', table: 'functions' },
    { kind: 'table', table: 'branches', most: 3 },
    { kind: 'table', table: 'pages' },
    { kind: 'text', text: 'And so on.' },
    { kind: 'diagnostics' },
    { kind: 'table', table: 'profile', from: 10, to: 150 },
    { kind: 'table', table: 'loops', from: 10, to: 150 },
    { kind: 'why', question: { at: 191, register: 'r12', steps: 50, allCopies: true } },
    {
      kind: 'query',
      title: 'Kinds <of> records',
      sql: 'SELECT kind, count(*) AS records, min(address) AS lowest, NULL AS `none`\nFROM records WHERE n >= :from GROUP BY kind',
      set: { from: '10' },
    },
  ],
};

const place = scratch();
let engine: Engine;
let trace: string;

beforeAll(async () => {
  engine = startEngine({ indexDirectory: place.folder, dataDirectory: place.folder, jobs: 1 });
  trace = await open(engine, place.file('sort.log', readFileSync(SAMPLE)));
});

afterAll(async () => {
  await engine.close();
  place.dispose();
});

async function open(engine: Engine, path: string): Promise<string> {
  const opened = await ask(engine, 'open', { path });
  await ask(engine, 'index', { trace: opened.trace });
  return opened.trace;
}

async function make(as: ReportForm, plan: ReportPlan = PLAN): Promise<readonly FigureFile[]> {
  return (await ask(engine, 'report', { trace, plan, as, name: 'slow' })).files;
}

async function textOf(as: ReportForm, plan?: ReportPlan): Promise<string> {
  const [first] = await make(as, plan);
  return new TextDecoder().decode(first?.bytes);
}

function check(report: string) {
  return ask(engine, 'verify', { trace, report });
}

describe.each(['html', 'md', 'json'] as const)('a report as %s', (form) => {
  test('is the same every time and agrees with the trace', async () => {
    const report = await textOf(form);
    expect(await textOf(form)).toBe(report);
    expect(await check(report)).toEqual({ checked: 9, differing: [] });
  });

  test('is still verified with other line ends and a byte order mark', async () => {
    const report = `\ufeff${(await textOf(form)).replaceAll('\n', '\r\n')}`;
    expect((await check(report)).differing).toEqual([]);
  });

  test('about another trace is recognised', async () => {
    const report = await textOf(form);
    const other = await open(
      engine,
      place.file('other.log', readFileSync(SAMPLE, 'utf8').split('\n').slice(0, 60).join('\n')),
    );
    const { differing } = await ask(engine, 'verify', { trace: other, report });
    expect(differing.map(({ part }) => part)).toEqual([0, 2, 3, 4, 5, 7, 8, 9, 10, 11]);
    expect(differing[0]?.how).toMatch(/^trace\.bytes: the report's data says 8579, but the trace gives \d+$/);
  });
});

describe('a query', () => {
  const part = (sql: string, more: object = {}): ReportPlan => ({
    title: 'Query',
    made: MADE,
    parts: [{ kind: 'query', sql, ...more }],
  });

  test('shows its statement, values and rows, and the command that repeats it', async () => {
    const plan = part("SELECT * FROM (VALUES (1, NULL, '<b>`'), (20000, 'x', :a))", { set: { a: '0x10' }, most: 20 });
    const html = await textOf('html', plan);
    expect(html).toMatch(/<pre[^>]*><code[^>]*>SELECT \* FROM \(VALUES \(1, NULL, \S+&lt;b&gt;`/);
    expect(html).toContain('<dt>:a</dt><dd><code>0x10</code></dd>');
    expect(html).toContain('<caption>All 2 rows</caption>');
    expect(html).toContain('<td class="right">1</td><td>NULL</td><td><bdi>&lt;b&gt;`</bdi></td>');
    expect(html).toContain('<td class="right">20,000</td><td><bdi>x</bdi></td><td>16</td>');
    expect(html).toContain(' --set a=0x10 --limit 20</code>');
    expect(await textOf('md', plan)).toContain('| 20,000 | x | 16 |');
  });

  test('shows at most as many rows as the plan allows', async () => {
    const some = await textOf('html', part('SELECT n FROM records', { most: 2 }));
    expect(some).toContain('<caption>The first 2 rows; there are more</caption>');
    expect((await check(some)).differing).toEqual([]);
    expect(await textOf('html', part('SELECT n FROM records WHERE n < 0'))).toContain('The statement selects no rows.');
  });

  test('that changes something or has an error makes no report', async () => {
    const refused = async (sql: string) => refusal(engine, 'report', { trace, plan: part(sql), as: 'html' });
    expect((await refused('DROP TABLE records')).message).toMatch(/^sql: a statement begins with SELECT/);
    expect((await refused('SELECT nowhere FROM records')).message).toBe('sql: no such column: nowhere');
  });
});

describe('of HTML', () => {
  test('verification finds each changed number of a part', async () => {
    const report = await textOf('html');
    for (const part of [2, 3, 4, 5, 7, 8, 9, 10, 11]) {
      const [start, end] = regionOf(report, part);
      const shown = report.slice(start, end);
      // Changes every seventh digit, since each change needs one verification.
      const digits = [...shown.matchAll(/(?<=>[^<]*)\d(?=[^<]*<)/g)].filter(({ index }) => index % 7 === 0);
      expect(digits.length, `part ${String(part)}`).toBeGreaterThan(0);
      for (const digit of digits) {
        const at = start + digit.index;
        const altered = `${report.slice(0, at)}${digit[0] === '9' ? '1' : '9'}${report.slice(at + 1)}`;
        const { differing } = await check(altered);
        expect(differing.map((each) => each.part)).toEqual([part]);
        expect(differing[0]?.how).toMatch(/^it shows “.*”, but the trace gives “/s);
      }
    }
  });

  test('verification names parts with changed words, marks and data', async () => {
    const report = await textOf('html');
    const changes: readonly (readonly [from: string | RegExp, to: string, part: number])[] = [
      ['<strong>matters', '<strong>does not matter', 1],
      ['Hottest branches</bdi></h2>', 'Coldest branches</bdi></h2>', 4],
      ['<tr><td><code>', '<tr hidden><td><code>', 2],
      ['<h1 dir="auto">Why', '<h1 dir="auto">How', 0],
      ['<dd>8,579 bytes', '<dd>8,578 bytes', 0],
      [/("kind":"summary","title":"Summary".*?"records":)(\d+)/, '$17', 2],
      [/"sha256":"[0-9a-f]/, '"sha256":"x', 0],
      [/<!-- part 3 /, '<!-- part 33 ', 0],
      ['<style>', '<style>section { display: none }', 0],
    ];
    for (const [from, to, part] of changes) {
      const altered = report.replace(from, to);
      expect(altered, String(from)).not.toBe(report);
      const { differing } = await check(altered);
      expect(differing[0]?.part, String(from)).toBe(part);
    }
  });

  test('verification finds a track that was changed', async () => {
    const tracks = ['phases', 'depth', 'register - r1', 'memory 0x8044 4'];
    const report = await textOf('html', {
      ...PLAN,
      parts: [{ kind: 'figure', figure: { figure: 'overview', tracks } }],
    });
    expect((await check(report)).differing).toEqual([]);
    const [start, end] = regionOf(report, 1);
    const shown = report.slice(start, end);
    expect(shown).toContain('--track phases --track depth --track');
    for (const [from, to] of [
      ['>Call depth<', '>Depth of calls<'],
      ['>r1<', '>r2<'],
    ] as const) {
      const altered = `${report.slice(0, start)}${shown.replace(from, to)}${report.slice(end)}`;
      expect(altered).not.toBe(report);
      expect((await check(altered)).differing.map(({ part }) => part)).toEqual([1]);
    }
  });

  test('verification finds a step that was changed in the data', async () => {
    const report = await textOf('html', { ...PLAN, parts: [PLAN.parts[9]!] });
    // mov r7, #0 is the constant that the chain ends with.
    const altered = report.replace('"value":"0x0"', '"value":"0x1"');
    expect(altered).not.toBe(report);
    const { differing } = await check(altered);
    expect(differing).toEqual([
      {
        part: 1,
        what: 'Why r12 = 0x40005 after record 191',
        how: expect.stringMatching(/the report's data says "0x1", but the trace gives "0x0"$/) as string,
      },
    ]);
  });

  test('contains no scripts and no external links', async () => {
    const report = await textOf('html');
    expect(report).toContain(`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:`);
    expect(report).not.toMatch(/<script|<link|<iframe|<object|<embed|<img|\son\w+=|url\(|@import/i);
    expect(report).toContain('<title>Why &lt;sort&gt; &amp; co. are slow</title>');
  });
});

describe('of Markdown', () => {
  test("keeps the user's text unchanged", async () => {
    const report = await textOf('md');
    expect(report).toContain(
      '## At a glance\n\nWhat **matters**:\n\n1. `x < y`\n2. a \\| b\n\n| a | b |\n| :-- | --: |\n| 1 | 2 |\n',
    );
    expect(report).toContain('# Why &lt;sort&gt; &amp; co. are slow\n');
  });
});

describe('refused plans and traces', () => {
  test.each([
    ['nothing', 'not-a-report', ''],
    ['a page', 'not-a-report', '<!doctype html><p>Hello</p>'],
    ['a PDF', 'not-a-report', '%PDF-1.7\n'],
    ['damaged data', 'not-a-report', '<template id="tracebench-report">{"a":</template>'],
    ['other data', 'not-a-report', '{"a": 1}'],
    ['data of an earlier layout', 'layout', '{"report":"tracebench","layout":2,"program":"0.1.0"}'],
    ['data of another version', 'layout', '{"report":"tracebench","layout":999,"program":"9.9.9"}'],
    ['data without a plan', 'plan', '{"report":"tracebench","layout":9}'],
  ])('%s', async (_, code, report) => {
    expect(await refusal(engine, 'verify', { trace, report })).toMatchObject({ code });
  });

  test('an invalid plan', async () => {
    const plan = { title: 'x', parts: [{ kind: 'figure', figure: { figure: 'heat', columns: 1e9 } }] } as const;
    expect(await refusal(engine, 'report', { trace, plan, as: 'html' })).toEqual({
      code: 'plan',
      message: 'the plan of the report: part 1, figure, columns must be a whole number from 1 to 16384',
    });
  });

  test('a trace without an index', async () => {
    const other = await ask(engine, 'open', { path: place.file('new.log', `${readFileSync(SAMPLE, 'utf8')}\n`) });
    const failure = await refusal(engine, 'report', { trace: other.trace, plan: PLAN, as: 'html' });
    expect(failure.code).toBe('not-indexed');
  });
});

function regionOf(report: string, part: number): readonly [number, number] {
  return [
    report.search(new RegExp(`<!-- part ${String(part)} `)),
    report.search(new RegExp(`<!-- end of part ${String(part)} `)),
  ];
}
