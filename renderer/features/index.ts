/** THE LIST of panes: layout, commands and the closed-pane bar derive from it. */
import Branches from './branches/Branches.svelte';
import Bytes from './bytes/Bytes.svelte';
import CallGraph from './call-graph/CallGraph.svelte';
import CallTree from './call-tree/CallTree.svelte';
import Diagnostics from './diagnostics/Diagnostics.svelte';
import Heatmap from './heatmap/Heatmap.svelte';
import Instructions from './instructions/Instructions.svelte';
import Memory from './memory/Memory.svelte';
import Notes from './notes/Notes.svelte';
import Overview from './overview/Overview.svelte';
import Registers from './registers/Registers.svelte';
import Report from './report/Report.svelte';
import Search from './search/Search.svelte';
import Stack from './stack/Stack.svelte';

export const PANES = [
  { id: 'overview', title: 'Overview', component: Overview },
  { id: 'heatmap', title: 'Heatmap', component: Heatmap },
  { id: 'instructions', title: 'Instructions', component: Instructions },
  { id: 'bytes', title: 'Bytes', component: Bytes },
  { id: 'diagnostics', title: 'Diagnostics', component: Diagnostics },
  { id: 'memory', title: 'Memory', component: Memory },
  { id: 'registers', title: 'Registers', component: Registers },
  { id: 'search', title: 'Search', component: Search },
  { id: 'stack', title: 'Stack', component: Stack },
  { id: 'branches', title: 'Branches', component: Branches },
  { id: 'notes', title: 'Notes', component: Notes },
  { id: 'graph', title: 'Call graph', component: CallGraph },
  { id: 'tree', title: 'Call tree', component: CallTree },
  { id: 'report', title: 'Report', component: Report },
] as const;
