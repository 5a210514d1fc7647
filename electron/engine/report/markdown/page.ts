/** Writes a report as Markdown, with its figures in separate files. */
import type { Item, ReportDocument } from '../document.ts';
import { itemBlocks } from '../item-blocks.ts';
import { identityRows, madeBlocks, underTitle } from '../made.ts';
import type { Pieces } from '../pieces.ts';
import { commandText, whereText } from '../provenance.ts';
import { steady, visible } from '../../../../shared/base/visible.ts';
import { blockMarkdown } from './blocks.ts';
import { codeSpan, inline } from './escape.ts';

export function markdownPieces(document: ReportDocument): Pieces {
  const { plan, items, name } = document;
  return {
    head: [
      `# ${inline(steady(plan.title))}`,
      underTitle(document)
        .map((text) => inline(visible(text)))
        .join(' · '),
      '',
    ].join('\n\n'),
    items: items.map((item, i) => itemText(item, fileOf(name, i + 1))),
    tail: `\n## The trace\n\n${identityMarkdown(document)}${document.other === undefined ? '' : `\n## The other trace\n\n${identityMarkdown(document.other)}`}\n## How this report was made\n\n${madeBlocks(
      document,
    )
      .map((block) => blockMarkdown(block, ''))
      .join('\n')}`,
    drawings: items.flatMap((item, i) =>
      item.kind === 'figure' && item.drawing !== undefined
        ? [{ part: i + 1, name: fileOf(name, i + 1), text: item.drawing.light }]
        : [],
    ),
  };
}

function identityMarkdown(identity: Pick<ReportDocument, 'trace' | 'images'>): string {
  return blockMarkdown({ block: 'facts', rows: identityRows(identity) }, '');
}

/** Name of the file with the drawing of a part, next to the report `name`. */
function fileOf(name: string, part: number): string {
  return `${name}.${String(part)}.svg`;
}

function itemText(item: Item, file: string): string {
  const blocks = itemBlocks(item).map((block) => blockMarkdown(block, file));
  if (item.kind === 'text') return `\n${blocks.join('\n')}\n`;
  return `\n${[`## ${inline(item.title)}\n`, ...blocks, fromText(item)].join('\n')}\n`;
}

function fromText({ sources }: Item): string {
  const own = sources.map((source) => `- ${codeSpan(commandText(source))}: ${inline(whereText(source))}`);
  return own.length === 0 ? '' : `Where this comes from:\n\n${own.join('\n')}\n`;
}
