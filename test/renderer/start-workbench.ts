/** A workbench without a desktop, whose traces have no panes. */
import { createKeeper } from '../../renderer/workbench/keeper.svelte.ts';
import { createLayout } from '../../renderer/workbench/layout.svelte.ts';
import { createWorkbench, type Workbench } from '../../renderer/workbench/workbench.svelte.ts';
import type { Client, Kept } from '../../shared/requests/requests.ts';

export function startWorkbench(client: Client, kept?: Kept): Workbench {
  return createWorkbench(client, undefined, createKeeper(client, createLayout([]), kept));
}
