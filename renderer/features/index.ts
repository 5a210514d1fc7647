/**
 * THE LIST of features, in the order of tabs and menus. A feature is a folder whose `pane.ts` describes it, and a line here: the layout,
 * the commands, the palette, the menus and the help derive from this list.
 */
import type { Pane } from '../workbench/pane.ts';
import { pane as branches } from './branches/pane.ts';
import { pane as bytes } from './bytes/pane.ts';
import { pane as callGraph } from './call-graph/pane.ts';
import { pane as callTree } from './call-tree/pane.ts';
import { pane as compare } from './compare/pane.ts';
import { pane as coverage } from './coverage/pane.ts';
import { pane as diagnostics } from './diagnostics/pane.ts';
import { pane as disassembly } from './disassembly/pane.ts';
import { pane as heatmap } from './heatmap/pane.ts';
import { pane as hotSpots } from './hot-spots/pane.ts';
import { pane as instructions } from './instructions/pane.ts';
import { pane as memory } from './memory/pane.ts';
import { pane as notes } from './notes/pane.ts';
import { pane as overview } from './overview/pane.ts';
import { pane as registers } from './registers/pane.ts';
import { pane as report } from './report/pane.ts';
import { pane as search } from './search/pane.ts';
import { pane as source } from './source/pane.ts';
import { pane as sql } from './sql/pane.ts';
import { pane as stack } from './stack/pane.ts';
import { pane as watches } from './watches/pane.ts';
import { pane as why } from './why/pane.ts';

export const PANES: readonly Pane[] = [
  heatmap,
  overview,
  callGraph,
  callTree,
  hotSpots,
  instructions,
  source,
  disassembly,
  memory,
  why,
  coverage,
  branches,
  notes,
  diagnostics,
  search,
  registers,
  watches,
  bytes,
  stack,
  report,
  compare,
  sql,
];
