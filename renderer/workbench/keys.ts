/** Matches key presses with the keys of commands: `Ctrl+Shift+P`, `Shift+X`, `?`. Ctrl stands for Cmd on macOS. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/**
 * Returns true if a press is one of a command's keys, which are separated by spaces. Without `singleKeys`, keys that type a character are
 * left out: they can be switched off, for dictation and against accidents.
 */
export function matchesKey(keys: string, press: KeyPress, singleKeys = true): boolean {
  return keys.split(' ').some((key) => (singleKeys || !isSingleCharacter(key)) && matchesOne(key, press));
}

/** Returns a press as the key of a command; undefined for a modifier alone and for keys that every page and list needs. */
export function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string | undefined {
  const hasControl = ctrlKey || metaKey;
  const isReserved = !hasControl && !altKey && RESERVED.includes(key);
  if (MODIFIERS.includes(key) || isReserved || (key === 'F10' && shiftKey)) return undefined;
  const name = NAMES[key] ?? key;
  const isLetter = /^\p{L}$/u.test(name);
  // Whether a character other than a letter needs Shift depends on the keyboard layout.
  const modifiers = [
    ...(hasControl ? ['Ctrl'] : []),
    ...(altKey ? ['Alt'] : []),
    ...(shiftKey && (isLetter || name.length > 1) ? ['Shift'] : []),
  ];
  if (name === '+' && modifiers.length > 0) return undefined;
  const letter = modifiers.length > 0 ? name.toUpperCase() : name.toLowerCase();
  return [...modifiers, isLetter ? letter : name].join('+');
}

const MODIFIERS: readonly string[] = ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Process'];
const RESERVED: readonly string[] = ['Tab', 'Enter', 'Escape', ' ', 'ContextMenu'];

/** Returns true for a key that types a character. */
export function isSingleCharacter(key: string): boolean {
  return key.replace('Shift+', '').length === 1;
}

function matchesOne(combination: string, press: KeyPress): boolean {
  const parts = combination === '+' ? ['+'] : combination.split('+');
  const key = parts.at(-1) ?? '';
  const wants = (modifier: string): boolean => parts.length > 1 && parts.slice(0, -1).includes(modifier);
  if (wants('Ctrl') !== (press.ctrlKey || press.metaKey) || wants('Alt') !== press.altKey) return false;
  const pressed = NAMES[press.key] ?? press.key;
  // Whether a character other than a letter needs Shift depends on the keyboard layout.
  const isLetter = /^\p{L}$/u.test(key);
  const checksShift = isLetter || key.length > 1;
  return pressed.toLowerCase() === key.toLowerCase() && (!checksShift || wants('Shift') === press.shiftKey);
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  ' ': 'Space',
};
