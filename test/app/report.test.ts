// Finished reports in a real browser: with and without scripts, in both themes, on paper, with hostile notes.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { micromark } from 'micromark';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEngine } from '../../electron/engine/engine.ts';
import type { NoteDraft } from '../../shared/requests/notes.ts';
import type { ReportPart, ReportPlan } from '../../shared/report/plan.ts';
import { ask } from '../engine/ask.ts';
import { scratch } from '../engine/traces.ts';
import { few, NIGHTLY } from '../short-form.ts';
import { violations } from './axe.ts';
import { browser, keepScreenshot, openBrowser } from './browser.ts';
import { runCli } from './run-cli.ts';

const SAMPLE = fileURLToPath(new URL('../samples/tarmac/arm-sort/trace.txt', import.meta.url));

const FIGURES = ['overview', 'heat', 'graph', 'flame'] as const;

const place = scratch();
const trace = place.file('sort <b>&amp;.log', readFileSync(SAMPLE));
const notebook = join(place.folder, 'own.notebook');
/** Counts its requests. */
let server: Server;
const reached: string[] = [];
let own: Browser | undefined;

function hostileNotes(origin: string): NoteDraft[] {
  const html = `<script>fetch('${origin}/script'); alert(1)</script><img src="${origin}/img" onerror="alert(2)"><svg onload="alert(3)"></svg>`;
  const texts: readonly (readonly [title: string, text: string])[] = [
    [`${html} & "quotes" 'both'`, html],
    [
      'images',
      `![x](${origin}/a.png) ![y][z]\n\n[z]: ${origin}/b.png "t"\n\n![](data:image/svg+xml,<svg onload=alert(4)>)`,
    ],
    [
      'links',
      '[a](javascript:alert(5)) [b](data:text/html,<script>alert(6)</script>) <javascript:alert(7)> [c](vbscript:x)',
    ],
    [
      'tricks',
      `</template></section></main><!-- end of part 3 --><!--\n\n--><style>*{display:none}</style>\n\n\`\`\`\n</code></pre>${html}\n\`\`\`\n\n<${origin}/auto>`,
    ],
    [
      `${'long'.repeat(400)} ${'x'.repeat(900)}`.slice(0, 990),
      `${'w'.repeat(5000)}\n\n| a | b |\n|-|-|\n| ${'y'.repeat(900)} | 1 |`,
    ],
    ['عنوان من اليمين \u202e evil \u2066 more', 'نص \u202e reversed \u2069 and \u0007 bell'],
    [
      '# ## heading | table \\ `code` *em* [x](y)',
      '###### Deep\n\n# High\n\n- a\n  - b\n\n1. x\n\n> quote\n\n* * *\n\n`` a ` b ``',
    ],
  ];
  return texts.map(([title, text], i) => ({
    id: `evil-${String(i)}`,
    title,
    text,
    colour: 'red',
    tags: ['<i>tag</i>', '\u202etag'],
    place: { n: 5 * i, ...(i % 2 === 0 ? {} : { to: 5 * i + 90, address: '0x8000', length: 40 }) },
  }));
}

beforeAll(async () => {
  server = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const engine = startEngine({ indexDirectory: join(place.folder, 'index'), dataDirectory: place.folder, jobs: 1 });
  const opened = await ask(engine, 'open', { path: trace, notebook });
  await ask(engine, 'index', { trace: opened.trace });
  const put = hostileNotes(origin);
  await ask(engine, 'changeNotebook', { trace: opened.trace, put });
  const plan = await ask(engine, 'reportPlan', { trace: opened.trace });
  const hostile: ReportPlan = {
    ...plan,
    title: put[0]?.title ?? '',
    parts: [
      ...put.map(({ text }) => ({ kind: 'text', text }) as const),
      ...FIGURES.map((figure): ReportPart => ({ kind: 'figure', figure: { figure }, caption: put[5]?.title ?? '' })),
      ...plan.parts,
    ],
  };
  for (const as of ['html', 'md', 'json'] as const) {
    const { files } = await ask(engine, 'report', { trace: opened.trace, plan: hostile, as, name: 'evil' });
    for (const { name, bytes } of files) writeFileSync(join(place.folder, name), bytes);
    const [main, ...beside] = files.map(({ name, bytes }) => ({ name, text: new TextDecoder().decode(bytes) }));
    const verified = await ask(engine, 'verify', { trace: opened.trace, report: main?.text ?? '', files: beside });
    expect(verified).toEqual({ checked: FIGURES.length + plan.parts.length, differing: [] });
  }
  await engine.close();
  if (browser.path) own = await openBrowser();
});

afterAll(async () => {
  await own?.close();
  server.close();
  place.dispose();
});

interface Opened {
  readonly page: Page;
  /** Requests and scripts that a page must not attempt. */
  readonly done: string[];
  close(): Promise<void>;
}

async function open(settings: {
  readonly scripts: boolean;
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
}): Promise<Opened> {
  if (!own) throw new Error('no browser');
  const context = await own.newContext({
    javaScriptEnabled: settings.scripts,
    colorScheme: settings.scheme ?? 'light',
    viewport: { width: settings.width ?? 1180, height: 900 },
  });
  const page = await context.newPage();
  const done: string[] = [];
  page.on('request', (request) => done.push(`asks for ${request.url()}`));
  page.on('dialog', (dialog) => {
    done.push(`says ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => done.push(`logs ${message.text()}`));
  page.on('pageerror', (error) => done.push(`fails with ${error.message}`));
  return { page, done, close: () => context.close() };
}

const file = (name: string): string => pathToFileURL(join(place.folder, name)).href;

describe.skipIf(!browser.path)(
  `a report in a browser${browser.reason === undefined ? '' : ` (${browser.reason})`}`,
  () => {
    test.each(few([true, false], 1))('requests only itself and runs nothing, scripts allowed: %s', async (scripts) => {
      const { page, done, close } = await open({ scripts });
      await page.goto(file('evil.html'));
      expect(done).toEqual([`asks for ${file('evil.html')}`]);
      expect(reached).toEqual([]);
      await close();
    });

    test.each(few(['light', 'dark'] as const, 1))(
      'shows every figure without scripts when the system is %s',
      async (scheme) => {
        const { page, close } = await open({ scripts: false, scheme });
        await page.goto(file('evil.html'));
        const figures = page.locator('figure');
        expect(await figures.count()).toBeGreaterThanOrEqual(4);
        for (const figure of await figures.all()) {
          const box = await figure.locator(`.${scheme} svg`).boundingBox();
          expect(box?.width).toBeGreaterThan(600);
          expect(box?.height).toBeGreaterThan(80);
          expect(await figure.locator(`.${scheme === 'dark' ? 'light' : 'dark'} svg`).isVisible()).toBe(false);
        }
        await keepScreenshot(page, `report-${scheme}`);
        await close();
      },
    );

    if (NIGHTLY) {
      test.each(['light', 'dark'] as const)('passes axe when the system is %s', async (scheme) => {
        const { page, close } = await open({ scripts: true, scheme });
        await page.goto(file('evil.html'));
        expect(await violations(page)).toEqual([]);
        await close();
      });
    }

    test.each(few([400, 1180], 1))('is never wider than a window of %i', async (width) => {
      const { page, close } = await open({ scripts: true, width });
      await page.goto(file('evil.html'));
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(over).toBeLessThanOrEqual(0);
      await close();
    });

    test('as Markdown is harmless in a page that renders all of it', async () => {
      const { page, done, close } = await open({ scripts: true });
      const html = micromark(readFileSync(join(place.folder, 'evil.md'), 'utf8'), {
        allowDangerousHtml: true,
        allowDangerousProtocol: true,
      });
      await page.setContent(html, { waitUntil: 'load' });
      const tags = await page.evaluate(() =>
        [...new Set([...document.body.querySelectorAll('*')].map(({ localName }) => localName))].toSorted(),
      );
      expect(
        tags.filter((tag) => ['script', 'style', 'svg', 'iframe', 'object', 'template', 'i'].includes(tag)),
      ).toEqual([]);
      const sources = await page.locator('img').evaluateAll((all) => all.map((each) => each.getAttribute('src')));
      expect(sources.every((source) => /^evil\.\d+\.svg$/.test(source ?? ''))).toBe(true);
      const links = await page.locator('a').evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
      expect(links.filter((link) => !/^(https?|mailto):/.test(link))).toEqual([]);
      expect(done.filter((each) => !each.includes('.svg'))).toEqual([]);
      expect(reached).toEqual([]);
      await close();
    });

    if (NIGHTLY) {
      test('as PDF is printed by the command line without network requests', async () => {
        const output = join(place.folder, 'evil.pdf');
        const { code, stderr } = await runCli(
          [
            'report',
            trace,
            '--notebook',
            notebook,
            '--quiet',
            '--index-dir',
            join(place.folder, 'index'),
            '-o',
            output,
          ],
          { env: { TRACEBENCH_BROWSER: browser.path ?? '', XDG_DATA_HOME: place.folder } },
        );
        expect([code, stderr]).toEqual([0, '']);
        const pdf = readFileSync(output, 'latin1');
        expect(pdf.startsWith('%PDF-')).toBe(true);
        expect(pdf.trimEnd().endsWith('%%EOF')).toBe(true);
        expect(pdf).not.toContain('/JavaScript');
        expect(reached).toEqual([]);
      });
    }
  },
);
