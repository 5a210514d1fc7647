/** Dark or light: what the system says until a person chooses, then what they chose. */
import { load, save } from '../trace/persisted.ts';

export type Theme = 'dark' | 'light';

export interface ThemeStore {
  readonly current: Theme;
  readonly toggle: () => void;
}

/** Also puts the theme on the document, at once: charts read their colours from there. */
export function createTheme(): ThemeStore {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = load(localStorage, 'theme', isTheme, null);
  let followsSystem = chosen === null;
  let current = $state<Theme>(chosen ?? fromSystem());
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
      save(localStorage, 'theme', current);
    },
  };
}

function isTheme(value: unknown): value is Theme | null {
  return value === 'dark' || value === 'light';
}
