// Accessibility of a page, judged by axe. Collects violations only: collecting passes takes most of axe's time on large pages.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

export interface Part {
  /** Selector of the judged part; the whole page if absent. */
  readonly include?: string;
  /** Selector of excluded parts, such as a frame that runs no scripts. */
  readonly exclude?: string;
}

/** Returns one line per violation and node: the rule, the start of the node's HTML, and how to fix it. */
export async function violations(page: Page, { include, exclude }: Part = {}): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
  if (include !== undefined) axe.include(include);
  if (exclude !== undefined) axe.exclude(exclude);
  // The other mode also loads axe into a blank page to merge the results of several frames. Here only the page itself is judged.
  axe.setLegacyMode(page.frames().length === 1 || exclude === 'iframe');
  const result = await axe.analyze();
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
  );
}
