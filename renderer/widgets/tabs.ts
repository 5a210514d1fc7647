/** Panes of a group, which the frame of the front pane shows as tabs. */
import { createContext } from 'svelte';

export interface Tabs {
  readonly panes: readonly { readonly id: string; readonly title: string }[];
  readonly front: string;
  readonly choose: (id: string) => void;
  /** The number of the focusRequest that the one in front shall have the focus; 0 if there is none. */
  readonly focusRequest: number;
  readonly focusReceived: () => void;
  /** A person used the front pane, with the pointer or the keyboard. */
  readonly entered: () => void;
  /** Attachment of a pane's tab: the pane can be dragged by it. */
  readonly grab: (id: string) => (element: HTMLElement) => () => void;
  /** Opens the menu of a pane. */
  readonly openMenu: (event: MouseEvent, id: string) => void;
  /** The group covers all others. */
  readonly isMaximised: boolean;
  readonly toggleMaximised: () => void;
}

export const [getTabs, setTabs] = createContext<Tabs>();
