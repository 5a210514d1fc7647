/** From key presses to commands: `Ctrl+Shift+P`, `Shift+X`, `?`. Ctrl stands for Cmd on macOS. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** True when a press is one of the keys of a command, which are separated by blanks. */
export function matchesKey(keys: string, press: KeyPress): boolean {
  return keys.split(' ').some((key) => matchesOne(key, press));
}

/** True for a key that types a character: these can be switched off, for people who dictate or press keys by accident. */
export function isSingleCharacter(keys: string): boolean {
  return keys.split(' ').some((key) => key.replace('Shift+', '').length === 1);
}

function matchesOne(combination: string, press: KeyPress): boolean {
  const parts = combination === '+' ? ['+'] : combination.split('+');
  const key = parts.at(-1) ?? '';
  const wants = (modifier: string): boolean => parts.length > 1 && parts.slice(0, -1).includes(modifier);
  if (wants('Ctrl') !== (press.ctrlKey || press.metaKey) || wants('Alt') !== press.altKey) return false;
  const pressed = NAMES[press.key] ?? press.key;
  // What a layout puts on a character that is no letter is its own affair: `?` may or may not need Shift.
  const isLetter = /^\p{L}$/u.test(key);
  const mindsShift = isLetter || key.length > 1;
  return pressed.toLowerCase() === key.toLowerCase() && (!mindsShift || wants('Shift') === press.shiftKey);
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
};
