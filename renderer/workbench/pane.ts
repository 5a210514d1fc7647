/** A feature as the page sees it. The list of features is renderer/features/index.ts. */
import type { Component } from 'svelte';
import type { Menu } from '../../shared/commands.ts';
import type { Trace } from '../trace/trace.svelte.ts';
import type { IconName } from '../widgets/icons.ts';
import type { Command } from './command.ts';
import type { PlacedPane, TraceFacts } from './docking/templates.ts';

export interface PaneProps {
  readonly trace: Trace;
  readonly title: string;
  readonly onclose: () => void;
}

export interface Pane extends PlacedPane {
  readonly title: string;
  readonly icon: IconName;
  /** Key that opens the pane; the command `pane-ID` does the same. */
  readonly key: string;
  /** Menu that lists the pane; `View` by default. */
  readonly menu?: Menu;
  /** Further words by which the palette finds the pane. */
  readonly words?: string;
  readonly component: Component<PaneProps>;
  /** Further commands of the feature. */
  readonly commands?: readonly Command[];
  /** The pane has a chart that can be exported as a figure. */
  readonly hasFigure?: boolean;
  /**
   * Returns false if the pane would be empty for a trace: another pane of its group is then in front at first. It gets facts that are known
   * when a trace is opened, so that no pane comes to the front later by itself.
   */
  readonly suits?: (facts: TraceFacts) => boolean;
}
