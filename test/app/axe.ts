// Accessibility of a page, judged by axe. Collects violations only: collecting passes takes most of axe's time on large pages.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { NIGHTLY } from '../short-form.ts';

export interface Part {
  /** Selector of the judged part; the whole page if absent. */
  readonly include?: string;
  /** Selector of excluded parts. */
  readonly exclude?: string;
  /** Selector of the only part that differs from states judged elsewhere: the short form judges it, the nightly run the whole page. */
  readonly changed?: string;
}

/** Minified, which a page compiles in half the time. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns one line per violation and node: the rule, the start of the node's HTML, and how to fix it. Frames are not judged. */
export async function violations(page: Page, { include, exclude, changed }: Part = {}): Promise<readonly string[]> {
  // Loading axe takes longer than judging a page: once per document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE);
  return page.evaluate(
    async ({ context, options }) => {
      const judge = (window as unknown as { axe: typeof axe }).axe;
      const result = await judge.run(context, options);
      return result.violations.flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
      );
    },
    {
      context: {
        include: include ?? (NIGHTLY ? 'html' : (changed ?? 'html')),
        ...(exclude !== undefined && { exclude }),
      },
      options: { resultTypes: ['violations' as const], iframes: false },
    },
  );
}
