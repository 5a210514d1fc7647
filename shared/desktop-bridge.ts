/** Functions of the desktop host that the page cannot reach over the wire; absent on localhost. */
import type { CommandFacts } from './commands.ts';
import type { PaperSize } from './requests/reports.ts';
import type { Result } from './base/result.ts';

export interface DesktopBridge {
  readonly kind: 'desktop';
  /** Shows the open dialog for traces, for images, or for a folder of sources. What is chosen may then be read. */
  openDialog(what?: 'image' | 'folder'): Promise<readonly string[]>;
  /** The path of a dropped DOM `File`, made readable; empty if it has none. */
  pathOf(file: unknown): Promise<string>;
  /** A report as HTML printed to a PDF, by a window that nobody sees, runs no scripts and has no network. */
  printReport(report: { readonly html: string; readonly paper: PaperSize }): Promise<Result<Uint8Array>>;
  /** Sets the commands that the menu lists. */
  setCommands(commands: readonly CommandFacts[]): void;
  /** Calls back with the id of a command chosen in the menu. */
  onCommand(listener: (id: string) => void): void;
  /** Files handed to the program from outside: command line, file association, second instance. */
  onOpenFile(listener: (path: string) => void): void;
}
