/** Finds commands by the words that a person types: words of the title and the menu, and synonyms. */
import type { CommandFacts } from '../../shared/commands.ts';

/** Returns the commands that match all typed words, those with the words in their titles first. */
export function matchingCommands<T extends CommandFacts>(commands: readonly T[], typed: string): readonly T[] {
  return commands
    .filter(({ menu, title, words = '' }) => matches(`${menu} ${title} ${words}`, typed))
    .toSorted((a, b) => distance(a, typed) - distance(b, typed));
}

/** Returns the rank of a match: the title begins with the text, it contains the words, or only with its menu or with synonyms. */
function distance({ title, menu }: CommandFacts, typed: string): number {
  if (title.toLowerCase().startsWith(typed.trim().toLowerCase())) return 0;
  return [title, `${menu} ${title}`].findIndex((text) => matches(text, typed)) + 1 || 3;
}

function matches(text: string, typed: string): boolean {
  const whole = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}
