/** Native dialogs of the desktop host: choosing files and reporting fatal errors. */
import { dialog, type BrowserWindow, type FileFilter } from 'electron';
import type { FormatSummary } from '../shared/requests/requests.ts';

/** Returns the chosen traces; empty if the user cancels. */
export async function chooseTrace(
  window: BrowserWindow,
  formats: readonly FormatSummary[],
): Promise<readonly string[]> {
  const options = { title: 'Open trace', properties: ['openFile' as const], filters: filtersOf(formats) };
  const { canceled, filePaths } = await dialog.showOpenDialog(window, options);
  return canceled ? [] : filePaths;
}

/** Returns the chosen program image; empty if the user cancels. Images have no common file name extension, so there is no filter. */
export async function chooseImage(window: BrowserWindow): Promise<readonly string[]> {
  const options = { title: 'Program image', properties: ['openFile' as const] };
  const { canceled, filePaths } = await dialog.showOpenDialog(window, options);
  return canceled ? [] : filePaths;
}

/** Returns the folder in which source files are searched for; empty if the user cancels. */
export async function chooseFolder(window: BrowserWindow): Promise<readonly string[]> {
  const options = { title: 'Folder of source files', properties: ['openDirectory' as const] };
  const { canceled, filePaths } = await dialog.showOpenDialog(window, options);
  return canceled ? [] : filePaths;
}

/** Filters for all formats together, each format, bundles, and all files. The last one matters because many traces have arbitrary names. */
function filtersOf(formats: readonly FormatSummary[]): FileFilter[] {
  const named = formats
    .map(({ name, extensions }) => ({ name, extensions: extensions.map((extension) => extension.replace(/^\./, '')) }))
    .filter(({ extensions }) => extensions.length > 0);
  const all = [...new Set(named.flatMap(({ extensions }) => extensions))];
  return [
    ...(all.length > 0 ? [{ name: 'Traces', extensions: all }] : []),
    ...named,
    { name: 'Evidence bundles', extensions: ['zip'] },
    { name: 'All files', extensions: ['*'] },
  ];
}

/** Reports that part of the program stopped and offers a restart. Returns true if the user accepts. */
export async function offerRestart(window: BrowserWindow, sentence: string, again: string): Promise<boolean> {
  const options = { type: 'error' as const, message: sentence, buttons: [again, 'Quit'], defaultId: 0, cancelId: 1 };
  const { response } = await dialog.showMessageBox(window, options);
  return response === 0;
}

/** Reports an error before any window exists. The caller must quit. */
export function showFatalError(sentence: string): void {
  dialog.showErrorBox('Tracebench', sentence);
}
