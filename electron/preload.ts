/**
 * Exposes `window.tracebenchHost` to the page of the desktop host: dialogs, menu commands, dropped files and files to open. Bundled into
 * one CommonJS file, because a sandboxed preload may import nothing but `electron`.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { DesktopBridge } from '../shared/desktop-bridge.ts';
import type { Result } from '../shared/base/result.ts';
import { CHANNELS } from './channels.ts';

const bridge: DesktopBridge = {
  kind: 'desktop',
  openDialog: (what) => ipcRenderer.invoke(CHANNELS.openDialog, what) as Promise<readonly string[]>,
  // Only Electron knows the path of a File. It returns an empty path for a File created by a script.
  pathOf: (file) => ipcRenderer.invoke(CHANNELS.dropped, webUtils.getPathForFile(file as File)) as Promise<string>,
  printReport: (report) => ipcRenderer.invoke(CHANNELS.printReport, report) as Promise<Result<Uint8Array>>,
  setCommands: (commands) => ipcRenderer.send(CHANNELS.commands, commands),
  onCommand(listener) {
    ipcRenderer.on(CHANNELS.command, (_, id: string) => listener(id));
  },
  onOpenFile(listener) {
    ipcRenderer.on(CHANNELS.openFile, (_, path: string) => listener(path));
    ipcRenderer.send(CHANNELS.listening);
  },
};

contextBridge.exposeInMainWorld('tracebenchHost', bridge);
