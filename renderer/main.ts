/** Starts the page: the wire, the workbench, and what the host asks to open. */
import { mount } from 'svelte';
import type { ImagePlace } from '../shared/api.ts';
import App from './App.svelte';
import { createClient } from './client.ts';
import type { Source } from './stores/trace.svelte.ts';
import { createWorkbench } from './stores/workbench.svelte.ts';
import './style.css';

const target = document.getElementById('app');
if (!target) throw new Error('internal error: the page has no place for the workbench');

const bridge = window.tracebenchHost;
const workbench = createWorkbench(createClient('./'), bridge);
mount(App, { target, props: { workbench } });

bridge?.onOpenFile((path) => void workbench.open({ path }));
// A page that goes for good lets go of its traces; one that is kept for the way back needs them.
addEventListener('pagehide', (event) => {
  if (!event.persisted) workbench.release();
});
void workbench.restore(asked(location.hash));

/** `#open=PATH&images=JSON`: how the localhost host passes the trace of its command line and what ran. */
function asked(hash: string): readonly Source[] {
  const words = new URLSearchParams(hash.slice(1));
  const images = JSON.parse(words.get('images') ?? '[]') as readonly ImagePlace[];
  return words.getAll('open').map((path) => ({ path, ...(images.length > 0 && { images }) }));
}
