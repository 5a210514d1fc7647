/** Writes blocks as Markdown. */
import { filledColumns, type Block, type Cell, type Column, type TableBlock } from '../blocks.ts';
import { proseHtml } from '../words.ts';
import { codeSpan, inline, ownLine } from './escape.ts';
import { markdownFromHtml } from './from-html.ts';

/** `file`: name of the file that contains the drawing of a figure. */
export function blockMarkdown(block: Block, file: string): string {
  switch (block.block) {
    case 'facts':
      return block.rows.map(([name, value]) => `- **${inline(name)}:** ${cellText(value)}\n`).join('');
    case 'table':
      return tableText(block);
    case 'prose':
      return `${markdownFromHtml(proseHtml(block.text, block.heading))}\n`;
    case 'say':
      return `${ownLine(block.text)}\n`;
    case 'heading':
      return `### ${inline(block.text)}\n`;
    case 'labels':
      return `${[`colour ${block.colour}`, ...block.texts, ...block.tags.map((tag) => `tag ${tag}`)].map(inline).join(' · ')}\n`;
    case 'grid':
      return gridText(block);
    case 'figure':
      return `![${inline(block.title)}](<${encodeURI(file)}>)\n\n*${inline(block.caption ?? block.description)}*\n`;
  }
}

function tableText(table: TableBlock): string {
  const { caption, columns, rows } = filledColumns(table);
  const head = columns.map(({ title }) => inline(title));
  const body = rows.map(({ cells, mark }) =>
    cells.map((cell, i) => `${i === 0 && mark === 'here' ? '▶ ' : ''}${cellText(cell)}`),
  );
  return `${ownLine(caption)}:\n\n${grid(head, columns, body)}`;
}

function grid(head: readonly string[], columns: readonly Column[], body: readonly (readonly string[])[]): string {
  const rule = columns.map(({ right }) => (right ? '--:' : ':--'));
  return [head, rule, ...body].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

/** The heading before a grid states its label. */
function gridText({ cells }: Extract<Block, { readonly block: 'grid' }>): string {
  const columns: readonly Column[] = [{ title: 'Name' }, { title: 'Value' }, { title: '' }];
  const body = cells.map(({ name, value, note, strong }) => [
    codeSpan(name),
    strong ? `**${codeSpan(value)}**` : codeSpan(value),
    inline(note),
  ]);
  return grid(['Name', 'Value', 'Since'], columns, body);
}

function cellText(cell: string | Cell): string {
  if (typeof cell === 'string') return inline(cell);
  return cell.code ? codeSpan(cell.text) : inline(cell.text);
}
