/** The desktop's native dialogs: choosing a trace, and saying in one sentence that something broke. */
import { dialog, type BrowserWindow, type FileFilter } from 'electron';
import type { FormatSummary } from '../shared/requests/requests.ts';

/** The chosen files; none when the person thought better of it. */
export async function chooseTrace(
  window: BrowserWindow,
  formats: readonly FormatSummary[],
): Promise<readonly string[]> {
  const options = { title: 'Open trace', properties: ['openFile' as const], filters: filtersOf(formats) };
  const { canceled, filePaths } = await dialog.showOpenDialog(window, options);
  return canceled ? [] : filePaths;
}

/** The chosen program; none when the person thought better of it. Images have no endings of their own. */
export async function chooseImage(window: BrowserWindow): Promise<readonly string[]> {
  const options = { title: 'Program image', properties: ['openFile' as const] };
  const { canceled, filePaths } = await dialog.showOpenDialog(window, options);
  return canceled ? [] : filePaths;
}

/** All formats together, each format, and everything: a trace's name often says nothing. */
function filtersOf(formats: readonly FormatSummary[]): FileFilter[] {
  const named = formats
    .map(({ name, extensions }) => ({ name, extensions: extensions.map((extension) => extension.replace(/^\./, '')) }))
    .filter(({ extensions }) => extensions.length > 0);
  const all = [...new Set(named.flatMap(({ extensions }) => extensions))];
  return [
    ...(all.length > 0 ? [{ name: 'Traces', extensions: all }] : []),
    ...named,
    { name: 'All files', extensions: ['*'] },
  ];
}

/** A part of the program stopped; offers to start it again. True when the person wants that. */
export async function offerRestart(window: BrowserWindow, sentence: string, again: string): Promise<boolean> {
  const options = { type: 'error' as const, message: sentence, buttons: [again, 'Quit'], defaultId: 0, cancelId: 1 };
  const { response } = await dialog.showMessageBox(window, options);
  return response === 0;
}

/** Before there is a window: nothing can go on. */
export function sayFatal(sentence: string): void {
  dialog.showErrorBox('Tracebench', sentence);
}
