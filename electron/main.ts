/**
 * The desktop host: one window that talks to the engine over a private scheme that no other program can reach.
 *
 * Order matters here. The scheme must be registered before Electron is ready. The Node version is checked, and native modules are loaded
 * on this thread, before the engine starts its workers. A page may open a file only after the user named it in a dialog, a drop, the menu,
 * the command line or a file association.
 */
import path from 'node:path';
import { app, ipcMain, protocol, type BrowserWindow, type IpcMainEvent, type IpcMainInvokeEvent } from 'electron';
import { readCommands, type CommandFacts } from '../shared/commands.ts';
import type { Client, Kept } from '../shared/requests/requests.ts';
import { createGrantedFiles } from './allowed-files.ts';
import { CHANNELS } from './channels.ts';
import { chooseFolder, chooseImage, chooseTrace, offerRestart, showFatalError } from './dialogs.ts';
import { fileArguments } from './file-arguments.ts';
import { createWire } from './wire/wire.ts';
import { setMenu } from './menu.ts';
import { printReport } from './print-report.ts';
import { pageDirectory } from './program.ts';
import { remembered } from './remembered.ts';
import { startSqlHost } from './sql-host.ts';
import { openWindow } from './window.ts';

const SCHEME = 'app';
const ORIGIN = `${SCHEME}://tracebench`;
const PAGE = `${ORIGIN}/`;
const NEEDED_NODE_API = 10;
/** Number of recent files in the menu. */
const MENU_RECENT = 10;
/** Failure code of every request after the engine thread has ended unexpectedly. */
const ENGINE_STOPPED = 'engine-stopped';

protocol.registerSchemesAsPrivileged([
  { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
]);
app.enableSandbox();

const files = fileArguments(process.argv, process.defaultApp, process.cwd());
if (Number(process.versions.napi) < NEEDED_NODE_API) {
  showFatalError(
    `Tracebench needs Node-API ${NEEDED_NODE_API}, but this Electron has ${process.versions.napi}. Install the pinned Electron with npm ci.`,
  );
  app.exit(1);
} else if (app.requestSingleInstanceLock({ files })) {
  desktop();
} else {
  app.quit(); // the instance that holds the lock opens the files
}

/** Runs one window and one engine for the life of the program. On macOS the window can be closed and opened again. */
function desktop(): void {
  const memory = remembered(app.getPath('userData'));
  const granted = createGrantedFiles();
  const waiting: string[] = [];
  /** Paths of traces that were left, the newest first. */
  let recent: readonly string[] = [];
  let window: BrowserWindow | undefined;
  let listening = false;
  let commands: readonly CommandFacts[] = [];
  /** True once the page can be served. */
  let started = false;

  const flush = (): void => {
    if (!window || !listening) return;
    for (const file of waiting.splice(0)) window.webContents.send(CHANNELS.openFile, file);
  };
  const openFile = (file: string): void => {
    granted.grant(file);
    waiting.push(file);
    flush();
  };
  const refreshMenu = (): void =>
    setMenu({
      commands,
      recent: recent.slice(0, MENU_RECENT),
      onCommand: (id) => window?.webContents.send(CHANNELS.command, id),
      onRecent: (file) => {
        openFile(file);
        show();
      },
    });
  const opened = (file: string): void => {
    recent = [file, ...recent.filter((other) => other !== file)];
    app.addRecentDocument(file);
    refreshMenu();
  };
  /** The user opened these traces, images and folders before, so the page may open them again. */
  const grantKept = ({ traces }: Kept): void => {
    for (const { path: file, images = [], folders = [], maps = [] } of traces) {
      granted.grant(file);
      for (const image of images) granted.grant(image.path);
      for (const folder of [...folders, ...maps.map(({ to }) => to)]) granted.grant(folder);
    }
  };
  const show = (): void => {
    if (!started) return;
    if (!window) {
      window = openWindow({
        page: PAGE,
        preload: path.join(pageDirectory(), '..', 'preload.cjs'),
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

  for (const file of files) openFile(file);
  app.on('open-file', (event, file) => {
    event.preventDefault();
    openFile(file);
    show();
  });
  app.on('second-instance', (_event, _argv, _directory, data) => {
    for (const file of filesOf(data)) openFile(file);
    show();
  });
  app.on('activate', show);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });

  ipcMain.on(CHANNELS.commands, (event, message: unknown) => {
    requirePage(event);
    commands = readCommands(message) ?? commands;
    refreshMenu();
  });
  ipcMain.on(CHANNELS.listening, (event) => {
    requirePage(event);
    listening = true;
    flush();
  });
  ipcMain.handle(CHANNELS.dropped, (event, file: unknown) => {
    requirePage(event);
    if (typeof file !== 'string' || file === '') return '';
    granted.grant(file);
    return file;
  });
  ipcMain.handle(CHANNELS.printReport, (event, report: unknown) => {
    requirePage(event);
    return printReport(report);
  });

  app
    .whenReady()
    .then(async () => {
      // Imported after the check above, since its native modules crash on an older Node-API.
      const { startEngine } = await import('./engine/engine.ts');
      const engine = startEngine({ decodes: true }, startSqlHost);
      const client = observed(engine, {
        opened,
        kept: grantKept,
        stopped: (sentence) => void restartProgram(window, sentence),
      });
      const kept = await engine.request('kept', {});
      if (kept.ok) recent = kept.value.traces.filter(({ state }) => state !== 'missing').map((trace) => trace.path);
      ipcMain.handle(CHANNELS.openDialog, async (event, what: unknown) => {
        requirePage(event);
        const chosen = window ? await choose(what, window, engine) : [];
        for (const file of chosen) granted.grant(file);
        return chosen;
      });
      protocol.handle(
        SCHEME,
        createWire({ client, pageDirectory: pageDirectory(), allowed: granted, origins: [ORIGIN] }),
      );
      closeBeforeQuit(engine);
      refreshMenu();
      started = true;
      show();
    })
    .catch((error: unknown) => {
      showFatalError(`Tracebench could not start: ${error instanceof Error ? error.message : String(error)}.`);
      app.exit(1);
    });
}

interface Observer {
  readonly opened: (file: string) => void;
  readonly kept: (kept: Kept) => void;
  readonly stopped: (sentence: string) => void;
}

/** Wraps a client: reports each opened file, answers about kept traces and, once, that the engine has stopped. */
function observed(client: Client, { opened, kept, stopped }: Observer): Client {
  let isReported = false;
  return {
    async request(name, args, options) {
      const result = await client.request(name, args, options);
      if (result.ok) {
        if ((name === 'open' || name === 'readBundle') && 'path' in args) opened(args.path);
        if (name === 'kept') kept(result.value as Kept);
      } else if (result.error.code === ENGINE_STOPPED && !isReported) {
        isReported = true;
        stopped(result.error.message);
      }
      return result;
    },
  };
}

/** Shows the open dialog for an image, a folder of sources, or else traces. */
async function choose(what: unknown, window: BrowserWindow, engine: Client): Promise<readonly string[]> {
  if (what === 'image') return chooseImage(window);
  if (what === 'folder') return chooseFolder(window);
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
  if (!window) return; // the program is quitting
  if (await offerRestart(window, `${sentence}.`, 'Start again')) app.relaunch();
  app.quit();
}

async function restartPage(window: BrowserWindow | undefined, reason: string): Promise<void> {
  if (!window || reason === 'clean-exit') return;
  const sentence = `The workbench page stopped (${reason}). Traces, indexes and notes are safe.`;
  if (await offerRestart(window, sentence, 'Reload')) window.webContents.reload();
  else app.quit();
}

/** Throws unless the message comes from the top frame of the program's own page. */
function requirePage(event: IpcMainEvent | IpcMainInvokeEvent): void {
  const frame = event.senderFrame;
  if (frame?.parent !== null || !frame.url.startsWith(PAGE)) throw new Error('this page may not use the host');
}

/** Returns the files that a second instance passed through the instance lock. */
function filesOf(data: unknown): readonly string[] {
  const given = typeof data === 'object' && data !== null && 'files' in data ? data.files : [];
  return Array.isArray(given) ? given.filter((file) => typeof file === 'string') : [];
}
