/** Writes blocks as HTML. */
import {
  filledColumns,
  type Block,
  type Cell,
  type Column,
  type GridCell,
  type Row,
  type TableBlock,
} from '../blocks.ts';
import { proseHtml } from '../words.ts';
import { escape } from './escape.ts';

export function blockHtml(block: Block): string {
  switch (block.block) {
    case 'facts':
      return `<dl class="facts">\n${block.rows.map(([name, value]) => `<div><dt>${escape(name)}</dt><dd>${cellHtml(value)}</dd></div>\n`).join('')}</dl>\n`;
    case 'table':
      return tableHtml(block);
    case 'prose':
      return `<div class="prose">\n${proseHtml(block.text, block.heading).trim()}\n</div>\n`;
    case 'say':
      return `<p class="say">${escape(block.text)}</p>\n`;
    case 'heading':
      return `<h3>${escape(block.text)}</h3>\n`;
    case 'labels':
      return labelsHtml(block);
    case 'grid':
      return gridHtml(block.label, block.cells);
    case 'figure':
      return figureHtml(block);
  }
}

function tableHtml(table: TableBlock): string {
  const { caption, columns, rows } = filledColumns(table);
  const looks = [...(columns.length <= SMALL ? ['small'] : []), ...(rows.length <= SHORT ? ['short'] : [])].join(' ');
  const head = columns.map(({ title, right }, i) => {
    const isBar = rows.some(({ cells }) => typeof cells[i] === 'object' && cells[i].bar !== undefined);
    const classes = [...(right ? ['right'] : []), ...(isBar ? ['bar'] : [])].join(' ');
    return `<th scope="col"${classes === '' ? '' : ` class="${classes}"`}>${escape(title)}</th>`;
  });
  return `<div class="scroll" role="group" aria-label="${escape(caption)}" tabindex="0"><table${looks === '' ? '' : ` class="${looks}"`}>
<caption>${escape(caption)}</caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${rows.map((row) => rowHtml(row, columns)).join('')}</tbody>
</table></div>
`;
}

/** Maximum number of columns of a table that is sized to its texts. */
const SMALL = 3;
/** Maximum number of rows of a table that is kept on one page. */
const SHORT = 14;

function rowHtml({ cells, mark }: Row, columns: readonly Column[]): string {
  const own = cells.map((cell, i) => {
    const bar = typeof cell === 'string' ? undefined : cell.bar;
    const share = bar === undefined ? [] : ['bar', `b${String(Math.round(100 * Math.min(1, Math.max(0, bar))))}`];
    const classes = [...(columns[i]?.right ? ['right'] : []), ...share].join(' ');
    return `<td${classes === '' ? '' : ` class="${classes}"`}>${cellHtml(cell)}</td>`;
  });
  return `<tr${mark === undefined ? '' : ` class="${mark}"`}>${own.join('')}</tr>\n`;
}

/** Words with more characters may be broken if space is short. Addresses never are. */
const LONG_WORD = 36;

function cellHtml(cell: string | Cell): string {
  const { text, code = false, foreign = false } = typeof cell === 'string' ? { text: cell } : cell;
  if (text === '') return '';
  const isLong = text.split(/\s/).some((word) => word.length > LONG_WORD);
  const name = code ? 'code' : foreign ? 'bdi' : isLong ? 'span' : '';
  if (name === '') return escape(text);
  const direction = code && foreign ? ' dir="auto"' : '';
  return `<${name}${direction}${isLong ? ' class="long"' : ''}>${escape(text)}</${name}>`;
}

function labelsHtml({ colour, texts, tags }: Extract<Block, { readonly block: 'labels' }>): string {
  const own = tags.map((tag) => `<li class="tag"><bdi>${escape(tag)}</bdi></li>`);
  return `<ul class="labels"><li class="colour"><span role="img" aria-label="${escape(colour)}" title="${escape(colour)}"></span></li>${texts.map((text) => `<li>${escape(text)}</li>`).join('')}${own.join('')}</ul>\n`;
}

function gridHtml(label: string, cells: readonly GridCell[]): string {
  const own = cells.map(
    ({ name, value, note, strong }) =>
      `<div${strong ? ' class="strong"' : ''}><dt><code>${escape(name)}</code></dt><dd><code>${escape(value)}</code>${note === '' ? '' : ` <span class="since">${escape(note)}</span>`}</dd></div>\n`,
  );
  return `<dl class="grid" aria-label="${escape(label)}">\n${own.join('')}</dl>\n`;
}

function figureHtml({ drawing, description, caption }: Extract<Block, { readonly block: 'figure' }>): string {
  return `<figure>
<div class="light">${drawing.light}</div>
<div class="dark">${drawing.dark}</div>
<figcaption dir="auto">${escape(caption ?? description)}</figcaption>
</figure>
`;
}
