/** THE LIST of panes: layout, commands and the closed-pane bar derive from it. */
import Branches from './Branches.svelte';
import Bytes from './Bytes.svelte';
import CallGraph from './CallGraph.svelte';
import CallTree from './CallTree.svelte';
import Diagnostics from './Diagnostics.svelte';
import Heatmap from './Heatmap.svelte';
import Instructions from './Instructions.svelte';
import Memory from './Memory.svelte';
import Notes from './Notes.svelte';
import Overview from './Overview.svelte';
import Registers from './Registers.svelte';
import Report from './Report.svelte';
import Search from './Search.svelte';
import Stack from './Stack.svelte';

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
