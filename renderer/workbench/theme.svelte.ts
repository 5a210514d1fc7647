/** Theme of the page, dark or light: the system's theme until a person chooses one. */
import { load, save } from '../trace/persisted.ts';

export type Theme = 'dark' | 'light';

export interface ThemeStore {
  readonly current: Theme;
  readonly toggle: () => void;
}

/** Also sets the theme on the document, from which charts read their colours. */
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
