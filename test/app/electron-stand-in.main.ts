/** The stand-in for `electron` in the main process. */
import { fork } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  copy,
  demand,
  demandKeys,
  refuse,
  stage,
  strict,
  StrictEmitter,
  type MenuEntry,
  type Rectangle,
} from './electron-stand-in.ts';

const SCREEN: Rectangle = { x: 0, y: 0, width: 1920, height: 1040 };
/** Number of the message with which a second instance passes its data to the first. */
export const HANDED_OVER = 0;
const appEvents = ['open-file', 'second-instance', 'activate', 'window-all-closed', 'will-quit', 'quit'] as const;
const windowEvents = ['ready-to-show', 'close', 'closed'] as const;
const contentsEvents = [
  'will-frame-navigate',
  'will-redirect',
  'will-attach-webview',
  'did-start-loading',
  'did-create-window',
  'render-process-gone',
] as const;

export const events = new StrictEmitter('app', appEvents);
let ready = false;
let quitting = false;
const readiness = Promise.withResolvers<undefined>();

/** Actions of the user or the system on the program. */
export const outside = {
  becomeReady(): void {
    ready = true;
    readiness.resolve(undefined);
  },
  /** Ends the process as Electron does, unless work is pending. */
  quit(): void {
    quitting = true;
    current?.close();
    if (events.emitDefault('will-quit')) return;
    stage.log.push(['quit']);
    process.disconnect(); // nothing else may keep the process alive
  },
  window: (): BrowserWindow => current ?? refuse('there is no window'),
  hasWindow: (): boolean => current !== undefined,
  menu: (): readonly MenuEntry[] => menuEntries,
  clickMenu(label: string): void {
    const click = menuClicks.get(label);
    if (!click) return refuse(`there is no menu item ${label}`);
    click();
  },
  /** A request of the page, without a signal: Electron passes none to a protocol's handler. */
  async request(
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<Response> {
    const scheme = new URL(url).protocol.slice(0, -1);
    const handler = handlers.get(scheme) ?? refuse(`nobody handles ${scheme}:`);
    return handler(new Request(url, init));
  },
};

export const app = strict(
  'app',
  Object.assign(events, {
    isPackaged: false,
    isReady: () => ready,
    whenReady: () => readiness.promise,
    enableSandbox: () => {
      demand(!ready, 'app.enableSandbox was called after ready');
      stage.log.push(['enableSandbox']);
    },
    getPath: (name: string) => {
      demand(name === 'userData', `app.getPath('${name}') is not covered`);
      return process.env['STAND_IN_USER_DATA'] ?? refuse('there is no user data folder');
    },
    requestSingleInstanceLock: (data: Readonly<Record<string, unknown>>) => {
      stage.log.push(['requestSingleInstanceLock', copy(data)]);
      if (process.env['STAND_IN_SECOND'] === undefined) return true;
      process.send?.({ id: HANDED_OVER, value: data });
      return false;
    },
    addRecentDocument: (file: string) => {
      demand(path.isAbsolute(file), `the recent document ${file} is not absolute`);
      stage.log.push(['addRecentDocument', file]);
    },
    quit: () => setImmediate(() => outside.quit()),
    relaunch: () => void stage.log.push(['relaunch']),
    exit: (status: number) => process.exit(status),
  }),
);

const handlers = new Map<string, (request: Request) => Promise<Response>>();
const privileged: string[] = [];

export const protocol = strict('protocol', {
  registerSchemesAsPrivileged(schemes: readonly { scheme: string; privileges: Record<string, boolean> }[]) {
    demand(!ready, 'schemes were registered as privileged after ready');
    demand(privileged.length === 0, 'schemes were registered as privileged twice');
    privileged.push(...schemes.map(({ scheme }) => scheme));
    stage.log.push(['registerSchemesAsPrivileged', copy(schemes)]);
  },
  handle(scheme: string, handler: (request: Request) => Promise<Response>) {
    demand(ready, 'protocol.handle was called before ready');
    demand(privileged.includes(scheme), `the scheme ${scheme} is not privileged`);
    demand(!handlers.has(scheme), `the scheme ${scheme} is handled twice`);
    handlers.set(scheme, handler);
  },
});

type Listener = (event: object, ...args: unknown[]) => unknown;
const listeners = new Map<string, Listener>();

export const ipcMain = strict('ipcMain', { on: listen('send'), handle: listen('invoke') });

function listen(kind: string): (channel: string, listener: Listener) => void {
  return (channel, listener) => {
    demand(!listeners.has(`${kind} ${channel}`), `${channel} is listened to twice`);
    listeners.set(`${kind} ${channel}`, listener);
  };
}

stage.toMain = (kind, channel, args) => {
  const listener = listeners.get(`${kind} ${channel}`);
  if (!listener) throw new Error(`No handler registered for '${channel}'`);
  return listener({ senderFrame: { parent: null, url: stage.page?.url ?? '' } }, ...args);
};

/** A message from a frame that is not the page's top one. */
export function invokeFrom(frame: { parent: object | null; url: string } | null, channel: string): unknown {
  const listener = listeners.get(`invoke ${channel}`) ?? refuse(`nobody listens to ${channel}`);
  return listener({ senderFrame: frame }, '/etc/passwd');
}

let current: BrowserWindow | undefined;

interface WindowOptions extends Partial<Rectangle> {
  readonly webPreferences: { readonly preload: string; readonly session?: PrivateSession };
}

export class BrowserWindow {
  readonly options: WindowOptions;
  readonly webContents: ReturnType<typeof contents>;
  readonly events = new StrictEmitter('BrowserWindow', windowEvents);
  bounds: Rectangle;
  maximized = false;

  constructor(options: WindowOptions) {
    demand(ready, 'a window was made before ready');
    demandKeys('BrowserWindow', options, [
      ...['x', 'y', 'width', 'height', 'minWidth', 'minHeight', 'show', 'title', 'backgroundColor', 'webPreferences'],
    ]);
    demandKeys('webPreferences', options.webPreferences, [
      ...[
        'preload',
        'contextIsolation',
        'sandbox',
        'nodeIntegration',
        'webviewTag',
        'navigateOnDragDrop',
        'spellcheck',
        ...(options.webPreferences.session ? ['session', 'javascript'] : []),
      ],
    ]);
    const { session: own, ...preferences } = options.webPreferences;
    if (own) {
      this.bounds = { x: 0, y: 0, width: 0, height: 0 };
      this.options = options;
      stage.log.push(['hidden window', copy({ ...options, webPreferences: preferences })]);
      const printer = strict('BrowserWindow', printerOf(own));
      this.webContents = contents(this);
      // The object that a constructor returns is the result of `new`.
      return printer as unknown as BrowserWindow;
    }
    const { x = 100, y = 100, width = 800, height = 600 } = options;
    this.bounds = { x, y, width, height };
    this.options = options;
    this.webContents = contents(this);
    stage.log.push(['BrowserWindow', copy(options)]);
    current = strict<BrowserWindow>('BrowserWindow', this);
    return current;
  }

  on(event: string, listener: (...args: unknown[]) => void): this {
    this.events.on(event, listener);
    return this;
  }
  once(event: string, listener: (...args: unknown[]) => void): this {
    this.events.once(event, listener);
    return this;
  }
  async loadURL(url: string): Promise<void> {
    await load(this, url);
    this.events.emitDefault('ready-to-show');
  }
  show(): void {
    stage.log.push(['show']);
    stage.shown.resolve(undefined);
  }
  focus(): void {
    stage.log.push(['focus']);
  }
  isMinimized(): boolean {
    return false;
  }
  maximize(): void {
    this.maximized = true;
  }
  isMaximized(): boolean {
    return this.maximized;
  }
  getNormalBounds(): Rectangle {
    return this.bounds;
  }
  /** The user drags the window's edges. */
  place(bounds: Rectangle, maximized: boolean): void {
    this.bounds = bounds;
    this.maximized = maximized;
  }
  close(): void {
    if (this.events.emitDefault('close')) return;
    current = undefined;
    stage.page = undefined;
    stage.toPage.removeAllListeners();
    this.events.emitDefault('closed');
    if (!quitting) events.emitDefault('window-all-closed');
  }
}

/** Loads the page's document through the protocol, then runs the preload before the page's own scripts. */
async function load(window: BrowserWindow, url: string): Promise<void> {
  window.webContents.events.emitDefault('did-start-loading');
  const response = await outside.request(url, { method: 'GET', headers: {} });
  stage.log.push(['loaded', url, response.status]);
  stage.toPage.removeAllListeners();
  stage.page = { world: {}, url };
  const { preload } = window.options.webPreferences;
  demand(path.isAbsolute(preload) && path.basename(preload) === 'preload.cjs', `${preload} is no bundled preload`);
  const bundled = process.env['STAND_IN_SOURCES'] === undefined;
  const source = bundled ? preload : path.join(import.meta.dirname, '../../electron/preload.ts');
  await import(`${pathToFileURL(source).href}?${loads++}`);
}
let loads = 0;

type OpenHandler = (details: { url: string }) => { action: string };
type PermissionRequest = (contents: object, permission: string, answer: (allowed: boolean) => void) => void;

interface ContentsHandlers {
  open?: OpenHandler;
  request?: PermissionRequest;
  check?: () => boolean;
  device?: () => boolean;
}

function contents(window: BrowserWindow) {
  const handlers: ContentsHandlers = {};
  const emitter = new StrictEmitter('webContents', contentsEvents);
  return strict(
    'webContents',
    Object.assign(emitter, {
      events: emitter,
      handlers,
      setWindowOpenHandler(handler: OpenHandler) {
        handlers.open = handler;
      },
      send: (channel: string, ...args: unknown[]) => void stage.toPage.emit(channel, ...copy(args)),
      reload: () => void load(window, stage.page?.url ?? refuse('there is no page to reload')),
      session: strict('session', {
        setPermissionRequestHandler: (handler: PermissionRequest) => {
          handlers.request = handler;
        },
        setPermissionCheckHandler: (handler: () => boolean) => {
          handlers.check = handler;
        },
        setDevicePermissionHandler: (handler: () => boolean) => {
          handlers.device = handler;
        },
      }),
    }),
  );
}

type Filter = (details: { url: string }, answer: (verdict: { cancel: boolean }) => void) => void;

class PrivateSession {
  readonly name: string;
  readonly handlers = new Map<string, (request: Request) => Response>();
  filter: Filter | undefined;
  permissions = 0;

  constructor(name: string) {
    this.name = name;
  }
  setPermissionRequestHandler(handler: PermissionRequest): void {
    handler({}, 'media', (allowed) => demand(!allowed, 'a private session allows media'));
    this.permissions += 1;
  }
  setPermissionCheckHandler(handler: () => boolean): void {
    demand(!handler(), 'a private session allows what is checked');
    this.permissions += 1;
  }
  get webRequest() {
    return strict('webRequest', { onBeforeRequest: (filter: Filter) => void (this.filter = filter) });
  }
  get protocol() {
    return strict('protocol', {
      handle: (scheme: string, handler: (request: Request) => Response) => void this.handlers.set(scheme, handler),
      unhandle: (scheme: string) => {
        demand(this.handlers.delete(scheme), `${scheme} is not handled`);
      },
    });
  }
  clearStorageData(): Promise<void> {
    stage.log.push(['forgotten', this.name.replace(/-.*/, ''), this.handlers.size]);
    return Promise.resolve();
  }
}

export const session = strict('session', {
  fromPartition(name: string): PrivateSession {
    demand(ready, 'a session was made before ready');
    demand(!name.startsWith('persist:'), `the session ${name} would stay on the disk`);
    return new PrivateSession(name);
  },
});

/** A window for printing: its session decides on the document and on every request of the document. */
function printerOf(own: PrivateSession) {
  let text = '';
  let headers = new Headers();
  const allows = (url: string): boolean => {
    let allowed = own.filter === undefined;
    own.filter?.({ url }, ({ cancel }) => (allowed = !cancel));
    return allowed;
  };
  return {
    webContents: strict('webContents', {
      setWindowOpenHandler: (handler: OpenHandler) =>
        demand(handler({ url: 'https://example.org/' }).action === 'deny', 'a printed page may open windows'),
      async printToPDF(options: object) {
        demandKeys('printToPDF', options, [
          ...['pageSize', 'printBackground', 'preferCSSPageSize', 'generateTaggedPDF', 'generateDocumentOutline'],
        ]);
        if (text.includes('cannot be printed')) throw new Error('Failed to generate PDF');
        const loads = [...text.matchAll(/(?:src|href)="([^"#]*)"/g)].map(([, url = '']) => url).filter(allows);
        const policy = headers.get('content-security-policy') ?? '';
        stage.log.push(['printToPDF', copy(options), { loads, policy, permissions: own.permissions }]);
        return Promise.resolve(Buffer.from(`%PDF-1.7\n${text}`));
      },
    }),
    async loadURL(url: string) {
      demand(allows(url), `the session refuses ${url}`);
      const handler = own.handlers.get(new URL(url).protocol.slice(0, -1)) ?? refuse(`nobody handles ${url}`);
      const response = handler(new Request(url));
      headers = response.headers;
      text = await response.text();
    },
    destroy: () => void stage.log.push(['destroy']),
  };
}

interface Template {
  readonly label?: string;
  readonly role?: string;
  readonly id?: string;
  readonly type?: string;
  readonly enabled?: boolean;
  readonly accelerator?: string;
  readonly registerAccelerator?: boolean;
  readonly click?: () => void;
  readonly submenu?: readonly Template[];
}

let menuEntries: MenuEntry[] = [];
let menuClicks = new Map<string, () => void>();
const roles = [
  ...['appMenu', 'editMenu', 'windowMenu', 'help', 'about', 'close', 'quit', 'zoomIn', 'zoomOut', 'resetZoom'],
  ...['togglefullscreen', 'reload', 'toggleDevTools'],
];

export const Menu = strict('Menu', {
  buildFromTemplate: (template: readonly Template[]) => template,
  setApplicationMenu(template: readonly Template[]) {
    menuEntries = [];
    menuClicks = new Map();
    for (const menu of template) addEntries(menu.label ?? menu.role ?? '', menu.submenu ?? []);
  },
});

function addEntries(menu: string, items: readonly Template[]): void {
  for (const item of items) {
    const known = ['label', 'role', 'id', 'type', 'enabled', 'accelerator', 'registerAccelerator', 'click', 'submenu'];
    demandKeys('a menu item', item, known);
    demand(item.role === undefined || roles.includes(item.role), `the menu role ${item.role ?? ''} is not covered`);
    const label = item.label ?? item.role ?? item.type ?? refuse(`an item of ${menu} has neither label nor role`);
    if (item.submenu) addEntries(`${menu} > ${label}`, item.submenu);
    else {
      const { id, accelerator, registerAccelerator = true } = item;
      menuEntries.push({
        menu,
        label,
        registered: registerAccelerator,
        ...(id && { id }),
        ...(accelerator && { accelerator }),
      });
    }
    if (item.click) menuClicks.set(label, item.click);
  }
}

export const dialog = strict('dialog', {
  showOpenDialog: (window: BrowserWindow, options: object) => {
    demand(window === current, 'the open dialog belongs to no window');
    demandKeys('showOpenDialog', options, ['title', 'properties', 'filters']);
    stage.log.push(['showOpenDialog', copy(options)]);
    const answer = stage.openDialogAnswers.shift();
    return Promise.resolve({ canceled: answer === undefined, filePaths: answer ?? [] });
  },
  showMessageBox: (_window: BrowserWindow, options: object) => {
    demandKeys('showMessageBox', options, ['type', 'message', 'buttons', 'defaultId', 'cancelId']);
    stage.log.push(['showMessageBox', copy(options)]);
    return new Promise((resolve) => stage.messageBoxes.push((response) => resolve({ response })));
  },
  showErrorBox: (title: string, content: string) => void process.stderr.write(`error box: ${title}: ${content}\n`),
});

export const shell = strict('shell', {
  openExternal: (url: string) => {
    stage.log.push(['openExternal', url]);
    return Promise.resolve();
  },
});

export const nativeTheme = strict('nativeTheme', { shouldUseDarkColors: true });

export const screen = strict('screen', {
  getAllDisplays: () => [{ workArea: SCREEN }],
  getPrimaryDisplay: () => ({ workAreaSize: { width: SCREEN.width, height: SCREEN.height } }),
});

export const utilityProcess = strict('utilityProcess', {
  fork(module: string, args: readonly string[], options: { readonly serviceName: string; readonly stdio: string }) {
    demand(ready, 'a utility process was started before ready');
    demand(path.isAbsolute(module) && args.length === 0, `the module ${module} is not named alone by its path`);
    demandKeys('utilityProcess', options, ['serviceName', 'stdio']);
    const child = fork(path.join(import.meta.dirname, 'electron-stand-in.utility.ts'), [module], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    stage.log.push(['utilityProcess', path.basename(module)]);
    const emitter = new StrictEmitter('utilityProcess', ['message', 'exit']);
    child.on('message', (message) => emitter.send('message', message));
    child.on('exit', (status) => emitter.send('exit', status));
    return strict(
      'utilityProcess',
      Object.assign(emitter, {
        postMessage: (message: object) => void child.send(message),
        kill: () => child.kill('SIGTERM'),
      }),
    );
  },
});
