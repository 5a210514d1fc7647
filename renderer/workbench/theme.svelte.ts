/** Theme of the page, dark or light: the system's theme until a person chooses one. */
import type { Settings } from './keeper.svelte.ts';

export type Theme = 'dark' | 'light';

export interface ThemeStore {
  readonly current: Theme;
  readonly toggle: () => void;
}

/** Also sets the theme on the document, from which charts read their colours. */
export function createTheme({ kept, keep }: Settings): ThemeStore {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let followsSystem = kept.theme === undefined;
  let current = $state<Theme>(kept.theme ?? fromSystem());
  show();

  function fromSystem(): Theme {
    return system.matches ? 'dark' : 'light';
  }

  function show(): void {
    document.documentElement.dataset['theme'] = current;
  }

  system.addEventListener('change', () => {
    if (followsSystem) current = fromSystem();
    show();
  });
  return {
    get current() {
      return current;
    },
    toggle() {
      followsSystem = false;
      current = current === 'dark' ? 'light' : 'dark';
      show();
      keep({ theme: current });
    },
  };
}
