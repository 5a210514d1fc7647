/** Starts the page: connects to the engine, creates the workbench, and opens the traces that the host requests. */
import { mount } from 'svelte';
import App from './shell/App.svelte';
import { createClient } from './client/client.ts';
import { readOpenRequest, sendsAlone } from './shell/open-request.ts';
import { createConnection } from './client/connection.svelte.ts';
import { PANES } from './features/index.ts';
import { createKeeper } from './workbench/keeper.svelte.ts';
import { createLayout } from './workbench/layout.svelte.ts';
import { readPoppedOut, traceFrom, withoutWorkbench } from './workbench/windows/popped-out.ts';
import { createWorkbench } from './workbench/workbench.svelte.ts';
import './style.css';

const target = document.getElementById('app');
if (!target) throw new Error('internal error: the page has no element with the id app');

const poppedOut = readPoppedOut(location.hash, window.opener as Window | null);
const bridge = poppedOut ? undefined : window.tracebenchHost;
const client = createClient('./', sendsAlone(location.hash));
const wire = poppedOut ? withoutWorkbench(client) : client;
const connection = createConnection(wire);
// Asked before anything is shown: the theme is part of it.
const kept = await wire.request('kept', { settingsOnly: true });
const layout = createLayout(PANES, () => workbench.active?.id ?? '');
const keeper = createKeeper(connection.client, layout, kept.ok ? kept.value : undefined);
const workbench = createWorkbench(connection.client, bridge, keeper);
mount(App, { target, props: { workbench, connection, layout, poppedOut } });
void keeper.refresh().then(() => keeper.problems.forEach(workbench.say));

bridge?.onOpenFile((path) => void workbench.open({ path }));
// A page in the back/forward cache may be shown again and keeps its traces.
addEventListener('pagehide', (event) => {
  if (!event.persisted) workbench.release();
});
if (poppedOut) {
  const { source, opened, view } = await traceFrom(poppedOut);
  workbench.adopt(source, opened, view);
} else void workbench.restore(readOpenRequest(location.hash));
