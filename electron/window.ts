/**
 * The window of the desktop host. It is sandboxed, shows only the program's own page, and restores its last position.
 *
 * The page cannot leave its origin, embed other pages or get permissions. It can open windows for single panes, which show the page itself
 * and are confined like it. Links to the web open in the user's browser.
 */
import { BrowserWindow, nativeTheme, screen, shell, type WebContents } from 'electron';
import type { WindowPlace } from './remembered.ts';

export interface WindowOptions {
  /** Address of the page. The window may show no other origin. */
  readonly page: string;
  /** Absolute path of the bundled preload. */
  readonly preload: string;
  readonly place: WindowPlace | undefined;
  readonly onPlace: (place: WindowPlace) => void;
}

export function openWindow(options: WindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...placeOnScreen(options.place),
    minWidth: 800,
    minHeight: 500,
    show: false,
    title: 'Tracebench',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#14171c' : '#ffffff',
    webPreferences: {
      preload: options.preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  });
  if (options.place?.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('close', () => options.onPlace({ ...window.getNormalBounds(), maximized: window.isMaximized() }));
  confine(window.webContents, new URL(options.page));
  void window.loadURL(options.page);
  return window;
}

/**
 * True if a link (for example in a note) may open in the user's browser or mail program: a web address without credentials, or a mail
 * address without further fields.
 */
function isOutsideLink(address: string): boolean {
  const url = URL.parse(address);
  if (url?.protocol === 'mailto:') return url.pathname.includes('@') && url.search === '';
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isWeb && url.hostname !== '' && url.username === '' && url.password === '';
}

/** Beginning of the fragment of a window for one pane (renderer/workbench/windows/). */
const PANE = '#pane=';

function confine(contents: WebContents, page: URL): void {
  contents.setWindowOpenHandler(({ url }) => {
    if (isPage(url, page) && new URL(url).hash.startsWith(PANE)) return { action: 'allow' };
    if (isOutsideLink(url)) void shell.openExternal(url);
    return { action: 'deny' };
  });
  contents.on('did-create-window', (window) => confine(window.webContents, page));
  contents.on('will-frame-navigate', (details) => {
    if (details.isMainFrame && isPage(details.url, page)) return; // a reload
    // The report preview: a frame whose content the page itself sets, under the page's own policy.
    if (!details.isMainFrame && /^about:srcdoc(?:#|$)/.test(details.url)) return;
    details.preventDefault();
    if (isOutsideLink(details.url)) void shell.openExternal(details.url);
  });
  contents.on('will-redirect', (details) => details.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  contents.session.setPermissionCheckHandler(() => false);
  contents.session.setDevicePermissionHandler(() => false);
}

/** Compares scheme, host and path, because the `origin` of a private scheme is opaque in the WHATWG URL standard. */
function isPage(address: string, page: URL): boolean {
  const url = URL.parse(address);
  return url?.protocol === page.protocol && url.host === page.host && url.pathname === page.pathname;
}

/** Returns the remembered bounds if enough of them is on a connected screen, otherwise a suitable centred size. */
function placeOnScreen(place: WindowPlace | undefined): Electron.BrowserWindowConstructorOptions {
  if (place && screen.getAllDisplays().some(({ workArea }) => overlap(place, workArea))) {
    return { x: place.x, y: place.y, width: place.width, height: place.height };
  }
  const { workAreaSize } = screen.getPrimaryDisplay();
  return { width: Math.min(1600, workAreaSize.width), height: Math.min(1000, workAreaSize.height) };
}

function overlap(a: Electron.Rectangle, b: Electron.Rectangle): boolean {
  const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return wide >= 100 && high >= 100;
}
