/**
 * The desktop host: one window onto the engine, over a private scheme that no other program can reach.
 *
 * Order matters here. The scheme must be registered before Electron is ready; the Node version is checked and native
 * modules are loaded on this thread before the engine starts its workers; a page gets a file only after a person named
 * it by dialog, drop, menu, command line or file association.
 */
import path from 'node:path';
import { app, ipcMain, protocol, type BrowserWindow, type IpcMainEvent, type IpcMainInvokeEvent } from 'electron';
import { readCommands, type CommandFacts } from '../shared/commands.ts';
import type { Client } from '../shared/requests/requests.ts';
import { createGrantedFiles } from './allowed-files.ts';
import { CHANNELS } from './channels.ts';
import { chooseImage, chooseTrace, offerRestart, sayFatal } from './dialogs.ts';
import { fileArguments } from './file-arguments.ts';
import { createWire } from './wire/wire.ts';
import { setMenu } from './menu.ts';
import { printReport } from './print-report.ts';
import { PAGE_DIRECTORY } from './program.ts';
import { remembered } from './remembered.ts';
import { openWindow } from './window.ts';

const SCHEME = 'app';
const ORIGIN = `${SCHEME}://tracebench`;
const PAGE = `${ORIGIN}/`;
const NEEDED_NODE_API = 10;
/** Failure code of every call once the engine's thread has died. */
const ENGINE_STOPPED = 'engine-stopped';

protocol.registerSchemesAsPrivileged([
  { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
]);
app.enableSandbox();

const files = fileArguments(process.argv, process.defaultApp, process.cwd());
if (Number(process.versions.napi) < NEEDED_NODE_API) {
  sayFatal(
    `This Electron has Node-API ${process.versions.napi}, Tracebench needs ${NEEDED_NODE_API}: install the pinned Electron with npm ci.`,
  );
  app.exit(1);
} else if (app.requestSingleInstanceLock({ files })) {
  desktop();
} else {
  app.quit(); // the instance that holds the lock opens the files
}

/** One window and one engine for the life of the program; on macOS the window may be closed and opened again. */
function desktop(): void {
  const memory = remembered(app.getPath('userData'));
  const granted = createGrantedFiles();
  const waiting: string[] = [];
  let window: BrowserWindow | undefined;
  let listening = false;
  let commands: readonly CommandFacts[] = [];
  /** The page can be served. */
  let started = false;

  const flush = (): void => {
    if (!window || !listening) return;
    for (const file of waiting.splice(0)) window.webContents.send(CHANNELS.openFile, file);
  };
  const give = (file: string): void => {
    granted.grant(file);
    waiting.push(file);
    flush();
  };
  const refreshMenu = (): void =>
    setMenu({
      commands,
      recent: memory.recent(),
      onCommand: (id) => window?.webContents.send(CHANNELS.command, id),
      onRecent: (file) => {
        give(file);
        show();
      },
    });
  const opened = (file: string): void => {
    memory.addRecent(file);
    app.addRecentDocument(file);
    refreshMenu();
  };
  const show = (): void => {
    if (!started) return;
    if (!window) {
      window = openWindow({
        page: PAGE,
        preload: path.join(PAGE_DIRECTORY, '..', 'preload.cjs'),
        place: memory.place(),
        onPlace: (place) => memory.setPlace(place),
      });
      window.on('closed', () => (window = undefined));
      window.webContents.on('did-start-loading', () => (listening = false));
      window.webContents.on('render-process-gone', (_event, { reason }) => void restartPage(window, reason));
    }
    if (window.isMinimized()) window.restore();
    window.focus();
  };

  for (const file of files) give(file);
  app.on('open-file', (event, file) => {
    event.preventDefault();
    give(file);
    show();
  });
  app.on('second-instance', (_event, _argv, _directory, data) => {
    for (const file of filesOf(data)) give(file);
    show();
  });
  app.on('activate', show);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });

  ipcMain.on(CHANNELS.commands, (event, message: unknown) => {
    demandPage(event);
    commands = readCommands(message) ?? commands;
    refreshMenu();
  });
  ipcMain.on(CHANNELS.listening, (event) => {
    demandPage(event);
    listening = true;
    flush();
  });
  ipcMain.handle(CHANNELS.dropped, (event, file: unknown) => {
    demandPage(event);
    if (typeof file !== 'string' || file === '') return '';
    granted.grant(file);
    return file;
  });
  ipcMain.handle(CHANNELS.printReport, (event, report: unknown) => {
    demandPage(event);
    return printReport(report);
  });
  ipcMain.handle(CHANNELS.recentFiles, (event) => {
    demandPage(event);
    for (const file of memory.recent()) granted.grant(file);
    return memory.recent();
  });

  app
    .whenReady()
    .then(async () => {
      // Loaded only now: its native modules must not meet an older Node-API.
      const { startEngine } = await import('./engine/engine.ts');
      const engine = startEngine({ decodes: true });
      const client = noting(engine, opened, (sentence) => void restartProgram(window, sentence));
      ipcMain.handle(CHANNELS.openDialog, async (event, what: unknown) => {
        demandPage(event);
        const chosen = window ? await (what === 'image' ? chooseImage(window) : chooseTraceOf(window, engine)) : [];
        for (const file of chosen) granted.grant(file);
        return chosen;
      });
      protocol.handle(
        SCHEME,
        createWire({ client, pageDirectory: PAGE_DIRECTORY, allowed: granted, origins: [ORIGIN] }),
      );
      closeBeforeQuit(engine);
      refreshMenu();
      started = true;
      show();
    })
    .catch((error: unknown) => {
      sayFatal(`Tracebench could not start: ${error instanceof Error ? error.message : String(error)}.`);
      app.exit(1);
    });
}

/** The same client, which also reports every file that was opened well, and once that the engine has stopped. */
function noting(client: Client, opened: (file: string) => void, stopped: (sentence: string) => void): Client {
  let told = false;
  return {
    async request(name, args, options) {
      const result = await client.request(name, args, options);
      if (result.ok) {
        if (name === 'open' && 'path' in args) opened(args.path);
      } else if (result.error.code === ENGINE_STOPPED && !told) {
        told = true;
        stopped(result.error.message);
      }
      return result;
    },
  };
}

async function chooseTraceOf(window: BrowserWindow, engine: Client): Promise<readonly string[]> {
  const formats = await engine.request('formats', {});
  return chooseTrace(window, formats.ok ? formats.value : []);
}

function closeBeforeQuit(engine: { close(): Promise<void> }): void {
  let closed = false;
  app.on('will-quit', (event) => {
    if (closed) return;
    event.preventDefault();
    void engine.close().finally(() => {
      closed = true;
      app.quit();
    });
  });
}

async function restartProgram(window: BrowserWindow | undefined, sentence: string): Promise<void> {
  if (!window) return; // the program is on its way out
  if (await offerRestart(window, `${sentence}.`, 'Start again')) app.relaunch();
  app.quit();
}

async function restartPage(window: BrowserWindow | undefined, reason: string): Promise<void> {
  if (!window || reason === 'clean-exit') return;
  const sentence = `The page of the workbench stopped (${reason}); traces and indexes are unharmed.`;
  if (await offerRestart(window, sentence, 'Show it again')) window.webContents.reload();
  else app.quit();
}

/** Only the top frame of our own page may ask anything. */
function demandPage(event: IpcMainEvent | IpcMainInvokeEvent): void {
  const frame = event.senderFrame;
  if (frame?.parent !== null || !frame.url.startsWith(PAGE)) throw new Error('this page may not ask that');
}

/** What the second instance handed over through its lock. */
function filesOf(data: unknown): readonly string[] {
  const given = typeof data === 'object' && data !== null && 'files' in data ? data.files : [];
  return Array.isArray(given) ? given.filter((file) => typeof file === 'string') : [];
}
