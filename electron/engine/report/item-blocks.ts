/** Returns the blocks of a report part. */
import type { Block } from './blocks.ts';
import type { Item } from './document.ts';
import { changeBlocks } from './items/change.ts';
import { diffBlocks } from './items/diff.ts';
import { diagnosticsBlocks } from './items/diagnostics.ts';
import { figureBlocks } from './items/figure.ts';
import { noteBlocks } from './items/note-blocks.ts';
import { queryBlocks } from './items/query.ts';
import { summaryBlocks } from './items/summary.ts';
import { tableBlocks } from './items/table.ts';
import { whyBlocks } from './items/why.ts';

export function itemBlocks(item: Item): readonly Block[] {
  switch (item.kind) {
    case 'text':
      return [{ block: 'prose', text: item.data.text, heading: 2 }];
    case 'summary':
      return summaryBlocks(item.data);
    case 'diagnostics':
      return diagnosticsBlocks(item.data.groups);
    case 'table':
      return tableBlocks(item.data);
    case 'note':
      return noteBlocks(item.data);
    case 'figure':
      return figureBlocks(item);
    case 'why':
      return whyBlocks(item.data);
    case 'diff':
      return diffBlocks(item.data);
    case 'query':
      return queryBlocks(item.data);
    case 'change':
      return changeBlocks(item.data);
  }
}
