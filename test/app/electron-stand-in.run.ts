/**
 * Starts the real electron/main.ts on the stand-in, and then follows its parent's requests over the process channel: {id, name, args}
 * in, {id, value} or {id, problem} out.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import vm from 'node:vm';
import type { Worker } from 'node:worker_threads';
import { refuse, stage, type Rectangle } from './electron-stand-in.ts';

const here = (name: string) => pathToFileURL(path.join(import.meta.dirname, name)).href;

const bundled = process.env['STAND_IN_SOURCES'] === undefined;

registerHooks({
  resolve(specifier, context, next) {
    const inPreload = /\/preload\.(ts|cjs)\b/.test(context.parentURL ?? '');
    if (specifier !== 'electron') {
      if (inPreload && bundled) refuse(`the bundled preload asks for ${specifier}`);
      return next(specifier, context);
    }
    const side = inPreload ? 'preload' : 'main';
    return { url: here(`electron-stand-in.${side}.ts`), format: 'module-typescript', shortCircuit: true };
  },
});

// As Electron does when it runs a folder: the folder is the first argument.
process.argv.splice(1, 1, path.join(import.meta.dirname, '../..'));
Object.assign(process, { defaultApp: true });
const napi = process.env['STAND_IN_NODE_API'] ?? process.versions.napi;
Object.defineProperty(process, 'versions', { value: { ...process.versions, napi } });

const { events, invokeFrom, outside } = await import('./electron-stand-in.main.ts');

const actions = {
  shown: () => stage.shown.promise,
  log: () => stage.log,
  menu: () => outside.menu(),
  clickMenu: (label: string) => outside.clickMenu(label),
  answerOpenDialog: (answer?: readonly string[]) => void stage.openDialogAnswers.push(answer),
  answerMessageBox: (button: number) => (stage.messageBoxes.shift() ?? refuse('no message box is shown'))(button),
  page: (source: string) => inPage(source),
  drop: (file: string) => drop(file),
  openWindow: (url: string) => outside.window().webContents.handlers.open?.({ url }).action,
  navigate: (url: string, isMainFrame: boolean) =>
    outside.window().webContents.emitDefault('will-frame-navigate', { url, isMainFrame }),
  redirect: (url: string) => outside.window().webContents.emitDefault('will-redirect', { url }),
  attachWebview: () => outside.window().webContents.emitDefault('will-attach-webview'),
  permissions: () => permissions(),
  invokeFrom: (frame: { parent: object | null; url: string } | null, channel: string) => invokeFrom(frame, channel),
  secondInstance: (data: unknown) => void events.emitDefault('second-instance', {}, [], '/', data),
  openFile: (file: string) => events.emitDefault('open-file', {}, file),
  pageGone: (reason: string) => void outside.window().webContents.emitDefault('render-process-gone', {}, { reason }),
  place: (bounds: Rectangle, maximized: boolean) => outside.window().place(bounds, maximized),
  loadedBeforeThreads: () => loadedBefore,
  killThreads: () => Promise.all(threads.map((thread) => thread.terminate())),
  closeWindow: () => outside.window().close(),
};
export type Actions = typeof actions;

process.on('message', (message: { id: number; name: keyof Actions; args: readonly unknown[] }) => {
  void answer(message.name, message.args).then((outcome) => process.send?.({ id: message.id, ...outcome }));
});

const threads: Worker[] = [];
/** Base names of the libraries loaded when the first thread starts. */
let loadedBefore: readonly string[] = [];
process.on('worker', (worker) => {
  if (threads.length === 0) loadedBefore = libraries();
  threads.push(worker);
});

await import(here(bundled ? '../../dist/main.js' : '../../electron/main.ts'));
outside.becomeReady();

async function answer(name: keyof Actions, args: readonly unknown[]): Promise<object> {
  try {
    const action = actions[name] as (...args: readonly unknown[]) => unknown;
    return { value: (await action(...args)) ?? null };
  } catch (error) {
    return { problem: String(error) };
  }
}

function libraries(): readonly string[] {
  const report = process.report.getReport() as { sharedObjects: readonly string[] };
  return report.sharedObjects.map((file) => path.basename(file));
}

/** Runs the body of an asynchronous function in the page, which has its own fetch. */
function inPage(source: string): unknown {
  const { page } = stage;
  if (!page) throw new Error('there is no page');
  const fetch = (address: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) => {
    const method = init.method ?? 'GET';
    const origin = page.url.replace(/\/$/, '');
    const headers = { ...init.headers, ...(method === 'GET' ? {} : { origin }) };
    return outside.request(new URL(address, page.url).href, { ...init, method, headers });
  };
  const world: unknown = vm.runInNewContext(`(async () => { ${source} })()`, { window: page.world, fetch });
  return world;
}

async function drop(file: string): Promise<unknown> {
  const dropped = new File([], path.basename(file));
  if (file !== '') stage.droppedFiles.set(dropped, file);
  const bridge = stage.page?.world['tracebenchHost'] as { pathOf(file: File): Promise<string> } | undefined;
  return bridge?.pathOf(dropped);
}

/** Answers of the window's session to each permission request. */
function permissions(): readonly unknown[] {
  const { request, check, device } = outside.window().webContents.handlers;
  const answers: unknown[] = [check?.(), device?.()];
  for (const wanted of ['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'fileSystem']) {
    request?.({}, wanted, (allowed) => answers.push(allowed));
  }
  return answers;
}
