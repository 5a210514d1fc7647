/** Starts the desktop program, on the stand-in or on the real Electron, and acts as its user. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { _electron } from 'playwright-core';
import type { MenuEntry } from './electron-stand-in.ts';
import type { Actions } from './electron-stand-in.run.ts';

const project = path.join(import.meta.dirname, '../..');

export interface Desktop {
  /** Runs the body of an asynchronous function in the page and returns its result as JSON. */
  page(source: string): Promise<unknown>;
  /** Drops a file on the page and returns the path from the bridge. */
  drop(file: string): Promise<unknown>;
  menu(): Promise<readonly MenuEntry[]>;
  clickMenu(label: string): Promise<void>;
  /** Sets the answer of the next open dialog; undefined cancels it. */
  answerOpenDialog(answer?: readonly string[]): Promise<void>;
  /** Options of the last open dialog. */
  lastOpenDialog(): Promise<unknown>;
  /** Result of window.open in the page, and the page's address after it tried to navigate away. */
  tryToLeave(url: string): Promise<void>;
  /** Addresses opened in the user's browser. */
  outside(): Promise<readonly string[]>;
  /** Starts the program again with these arguments; resolves when the second instance has ended. */
  again(args: readonly string[], directory: string): Promise<void>;
  /** Closes the window; resolves when the program has ended. */
  close(): Promise<void>;
}

export interface StandIn extends Desktop {
  act<N extends keyof Actions>(name: N, ...args: Parameters<Actions[N]>): Promise<Awaited<ReturnType<Actions[N]>>>;
  /** Status and stderr of the process, once it has ended. */
  readonly ended: Promise<{ readonly status: number | null; readonly stderr: string }>;
}

/** Runs the bundles of the host and its preload, or electron/main.ts and preload.ts with STAND_IN_SOURCES in the environment. */
export async function startStandIn(
  userData: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<StandIn> {
  const { act, ended } = run(userData, args, project, environment);
  const log = async (name: string): Promise<unknown[][]> => {
    const entries = await act('log');
    return entries.filter((entry) => entry[0] === name);
  };
  await act('shown');
  return {
    act,
    ended,
    page: (source) => act('page', source),
    drop: (file) => act('drop', file),
    menu: () => act('menu'),
    clickMenu: (label) => act('clickMenu', label),
    answerOpenDialog: (answer) => act('answerOpenDialog', answer),
    lastOpenDialog: async () => (await log('showOpenDialog')).at(-1)?.[1],
    outside: async () => (await log('openExternal')).map(([, url]) => String(url)),
    async tryToLeave(url) {
      const opened = await act('openWindow', url);
      if (opened !== 'deny') throw new Error(`window.open gave ${String(opened)}`);
      if (!(await act('navigate', url, true))) throw new Error('the page left');
    },
    async again(more, directory) {
      const second = run(userData, more, directory, { ...environment, STAND_IN_SECOND: 'yes' });
      const { status, stderr } = await second.ended;
      if (status !== 0 || stderr !== '') throw new Error(`status ${String(status)}: ${stderr}`);
      await act('secondInstance', await second.handedOver);
    },
    async close() {
      await act('closeWindow');
      const { status, stderr } = await ended;
      if (status !== 0 || stderr !== '') throw new Error(`status ${String(status)}: ${stderr}`);
    },
  };
}

/** Starts a stand-in that is expected to end without help. */
export function endOfStandIn(userData: string, environment: Readonly<Record<string, string>>): StandIn['ended'] {
  return run(userData, [], project, environment).ended;
}

/** Keeps indexes and state out of the folders of the user who runs the tests, on every platform. */
function ownFolders(userData: string): Record<string, string> {
  const cache = path.join(userData, '..', 'cache');
  return {
    XDG_CACHE_HOME: cache,
    XDG_STATE_HOME: cache,
    LOCALAPPDATA: cache,
    ...(process.platform === 'darwin' && { HOME: cache }),
  };
}

interface Run extends Pick<StandIn, 'act' | 'ended'> {
  /** Data that a second instance passes to the first one. */
  readonly handedOver: Promise<unknown>;
}

function run(
  userData: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Run {
  const child = fork(path.join(import.meta.dirname, 'electron-stand-in.run.ts'), args, {
    cwd,
    env: { ...process.env, ...ownFolders(userData), STAND_IN_USER_DATA: userData, ...environment },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  return channel(child);
}

/** Numbered requests over the channel to a child process; number 0 is an unrequested message. */
function channel(child: ChildProcess): Run {
  const handedOver = Promise.withResolvers<unknown>();
  const waiting = new Map<number, PromiseWithResolvers<unknown>>([[0, handedOver]]);
  let stderr = '';
  let last = 0;
  child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  child.on('message', ({ id, value, problem }: { id: number; value?: unknown; problem?: string }) => {
    if (problem === undefined) waiting.get(id)?.resolve(value);
    else waiting.get(id)?.reject(new Error(problem));
    waiting.delete(id);
  });
  const ended = new Promise<{ status: number | null; stderr: string }>((resolve) => {
    child.once('close', (status) => {
      waiting.delete(0);
      for (const { reject } of waiting.values()) reject(new Error(`the program ended (${String(status)}): ${stderr}`));
      resolve({ status, stderr });
    });
  });
  const act = (name: string, ...args: readonly unknown[]): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    const id = ++last;
    waiting.set(id, answer);
    child.send({ id, name, args }, (error) => {
      if (error) void ended.then(({ stderr }) => answer.reject(new Error(`${error.message} ${stderr}`)));
    });
    return answer.promise;
  };
  return { act: act as StandIn['act'], ended, handedOver: handedOver.promise };
}

/** Reason why a file of dist/ cannot be run; undefined if it can. */
export function missingBundle(name: string): string | undefined {
  return fs.existsSync(path.join(project, 'dist', name)) ? undefined : `dist/${name} has not been built`;
}

/** Path of Electron if it is installed and can show a window, else the reason why not. */
export function findElectron(): { readonly program: string } | { readonly missing: string } {
  const home = path.join(project, 'node_modules/electron');
  const name = path.join(home, 'path.txt');
  if (!fs.existsSync(name)) return { missing: "Electron's program is not installed" };
  const dist = process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? path.join(home, 'dist');
  const program = path.join(dist, fs.readFileSync(name, 'utf8').trim());
  if (!fs.existsSync(program)) return { missing: "Electron's program is not installed" };
  const display = process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'];
  if (process.platform === 'linux' && display === undefined) return { missing: 'there is no display' };
  const missing = missingBundle('main.js');
  return missing === undefined ? { program } : { missing };
}

function environmentOf(values: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** State recorded by the script in Electron's main process, and its prepared answers. */
interface Played {
  readonly outside: string[];
  readonly answers: (readonly string[] | null)[];
  dialog: unknown;
}

/** The same on the real Electron and the bundles in dist/. */
export async function startElectron(program: string, userData: string, args: readonly string[]): Promise<Desktop> {
  const root = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const start = [...root, `--user-data-dir=${userData}`, project];
  const electron = await _electron.launch({
    executablePath: program,
    args: [...start, ...args],
    cwd: project,
    env: { ...environmentOf(process.env), ...ownFolders(userData) },
  });
  const page = await electron.firstWindow();
  // In the rest of this file, a script in the main process acts as the user.
  await electron.evaluate(({ dialog, shell }) => {
    const played: Played = { outside: [], answers: [], dialog: null };
    Object.assign(globalThis, { played });
    shell.openExternal = (url) => {
      played.outside.push(url);
      return Promise.resolve();
    };
    dialog.showOpenDialog = (_window: unknown, options?: unknown) => {
      played.dialog = options;
      const answer = played.answers.shift() ?? null;
      return Promise.resolve({ canceled: answer === null, filePaths: [...(answer ?? [])] });
    };
  });
  const played = () => electron.evaluate(() => Reflect.get(globalThis, 'played') as Played);
  return {
    page: (source) => page.evaluate(`(async () => { ${source} })()`),
    async drop(file) {
      const input = await page.evaluateHandle(() => Object.assign(document.createElement('input'), { type: 'file' }));
      await input.asElement().setInputFiles(file);
      return page.evaluate((element) => {
        const bridge = Reflect.get(window, 'tracebenchHost') as { pathOf(file: unknown): Promise<string> };
        return bridge.pathOf(element.files?.[0]);
      }, input);
    },
    menu: () =>
      electron.evaluate(({ Menu }) => {
        const flat = (menu: string, items: readonly Electron.MenuItem[]): MenuEntry[] =>
          items.flatMap((item) =>
            item.submenu && menu === ''
              ? flat(item.label, item.submenu.items)
              : [{ menu, id: item.id, label: item.label, registered: item.registerAccelerator }],
          );
        return flat('', Menu.getApplicationMenu()?.items ?? []);
      }),
    clickMenu: (label) =>
      electron.evaluate(({ Menu }, wanted) => {
        const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []);
        items?.find((item) => item.label === wanted)?.click();
      }, label),
    answerOpenDialog: (answer) =>
      electron.evaluate((_electron, given) => {
        (Reflect.get(globalThis, 'played') as Played).answers.push(given);
      }, answer ?? null),
    lastOpenDialog: async () => (await played()).dialog,
    async tryToLeave(url) {
      const before = page.url();
      const opened = await page.evaluate((address) => window.open(address) === null, url);
      if (!opened) throw new Error('window.open gave a window');
      await page.evaluate((address) => void (location.href = address), url);
      if (page.url() !== before) throw new Error('the page left');
    },
    outside: async () => (await played()).outside,
    async again(more, directory) {
      await once(spawn(program, [...start, ...more], { cwd: directory, stdio: 'ignore' }), 'exit');
    },
    close: () => electron.close(),
  };
}
