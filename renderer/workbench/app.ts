/** The page around the panes, as every component can reach it without props. */
import { createContext } from 'svelte';
import type { CommandFacts } from '../../shared/commands.ts';
import type { MenuItem, Point } from '../widgets/menu.ts';
import type { Facts } from './context/facts.ts';
import type { Layout } from './layout.svelte.ts';
import type { Shell } from './shell.svelte.ts';
import type { ThemeStore } from './theme.svelte.ts';
import type { PopOuts } from './windows/pop-outs.svelte.ts';
import type { Workbench } from './workbench.svelte.ts';

export interface App {
  readonly workbench: Workbench;
  readonly layout: Layout;
  readonly shell: Shell;
  readonly theme: ThemeStore;
  /** Runs a command by its id, about the facts if given, else about the cursor. */
  readonly run: (id: string, facts?: Facts) => void;
  /** Returns the facts about a command, and the reason why it cannot run about these facts, or about the cursor; null if it can. */
  readonly command: (id: string, facts?: Facts) => CommandFacts & { readonly refusal: string | null };
  /** Returns the first key of a command that runs it now; undefined if it has none. */
  readonly keyOf: (id: string) => string | undefined;
  /** Returns a text for a tooltip, with the key of the command: `Back (Alt+Left)`. `more` follows the key. */
  readonly withKey: (text: string, id: string, more?: string) => string;
  /** Opens a context menu at a place in the window. */
  readonly openMenu: (at: Point, label: string, items: readonly MenuItem[]) => void;
  /** Windows of single panes. */
  readonly popOuts: PopOuts;
  /** Opens a pane and gives it the keyboard focus, here or in its own window. */
  readonly show: (pane: string) => void;
}

export const [getApp, setApp] = createContext<App>();
