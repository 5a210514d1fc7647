/** Starts the page: the wire, the workbench, and what the host asks to open. */
import { mount } from 'svelte';
import App from './shell/App.svelte';
import { createClient } from './client/client.ts';
import { asked } from './shell/open-request.ts';
import { createConnection } from './client/connection.svelte.ts';
import { createWorkbench } from './workbench/workbench.svelte.ts';
import './style.css';

const target = document.getElementById('app');
if (!target) throw new Error('internal error: the page has no place for the workbench');

const bridge = window.tracebenchHost;
const connection = createConnection(createClient('./'));
const workbench = createWorkbench(connection.client, bridge);
mount(App, { target, props: { workbench, connection } });

bridge?.onOpenFile((path) => void workbench.open({ path }));
// A page that goes for good lets go of its traces; one that is kept for the way back needs them.
addEventListener('pagehide', (event) => {
  if (!event.persisted) workbench.release();
});
void workbench.restore(asked(location.hash));
