/** What every component of the page can reach without props. */
import { createContext } from 'svelte';
import type { Layout } from './layout.svelte.ts';
import type { Shell } from './shell.svelte.ts';
import type { ThemeStore } from './theme.svelte.ts';
import type { Workbench } from './workbench.svelte.ts';

export interface App {
  readonly workbench: Workbench;
  readonly layout: Layout;
  readonly shell: Shell;
  readonly theme: ThemeStore;
  /** Runs a command of the list by its id. */
  readonly run: (id: string) => void;
}

export const [getApp, setApp] = createContext<App>();
