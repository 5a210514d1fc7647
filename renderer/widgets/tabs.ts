/** Panes of an area, which the frame of the front pane shows as tabs. */
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
}

export const [getTabs, setTabs] = createContext<Tabs>();
