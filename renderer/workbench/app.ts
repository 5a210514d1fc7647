/** The page around the panes, as every component can reach it without props. */
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
  /** Runs a command by its id. */
  readonly run: (id: string) => void;
  /** Opens a pane and gives it the keyboard focus. */
  readonly show: (pane: string) => void;
}

export const [getApp, setApp] = createContext<App>();
