/** The panes that stand behind one another in an area: what the frame of the one in front shows as tabs. */
import { createContext } from 'svelte';

export interface Tabs {
  readonly panes: readonly { readonly id: string; readonly title: string }[];
  readonly front: string;
  readonly choose: (id: string) => void;
  /** The number of the focusRequest that the one in front shall have the focus; 0 where there is none. */
  readonly focusRequest: number;
  readonly focusReceived: () => void;
  /** Somebody turned to the one in front: with the pointer or the focus. */
  readonly entered: () => void;
}

export const [getTabs, setTabs] = createContext<Tabs>();
