/**
 * Facts about the page's commands, as its palette, its help sheet and the desktop's menu show them. The page owns the list of
 * commands (renderer/shell/commands.ts and renderer/features) and sends these facts to the desktop.
 */

export const MENUS = ['File', 'Go', 'Notes', 'View', 'Help'] as const;
export type Menu = (typeof MENUS)[number];

export interface CommandFacts {
  readonly id: string;
  readonly title: string;
  /** Key as shown to people: `Ctrl+O`. Ctrl stands for Cmd on macOS. Several keys are separated by a space. */
  readonly key?: string;
  readonly menu: Menu;
  /** Further words by which the palette finds the command, in small letters. */
  readonly words?: string;
  /** The key belongs to a text field while someone types in one. */
  readonly leavesText?: boolean;
}

/** Returns the commands in a message from the page, or undefined if the message is not a list of commands. */
export function readCommands(message: unknown): readonly CommandFacts[] | undefined {
  return Array.isArray(message) && message.every(isCommand) ? message : undefined;
}

function isCommand(value: unknown): value is CommandFacts {
  if (typeof value !== 'object' || value === null) return false;
  const { id, title, key, menu } = value as Readonly<Record<string, unknown>>;
  return (
    typeof id === 'string' &&
    typeof title === 'string' &&
    (key === undefined || typeof key === 'string') &&
    MENUS.some((name) => name === menu)
  );
}
