/** The stand-in for `electron` in a sandboxed preload. */
import { copy, demand, refuse, stage, strict } from './electron-stand-in.ts';

export const contextBridge = strict('contextBridge', {
  /** Wraps functions so that arguments and results are copied; data is copied once. */
  exposeInMainWorld(key: string, api: Readonly<Record<string, unknown>>) {
    const { page } = stage;
    if (!page) return refuse('a preload ran without a page');
    demand(!(key in page.world), `${key} was exposed twice`);
    const bridged = Object.entries(api).map(([name, value]) => [name, cross(value)]);
    page.world[key] = Object.freeze(Object.fromEntries(bridged));
  },
});

export const ipcRenderer = strict('ipcRenderer', {
  invoke: async (channel: string, ...args: unknown[]) => copy(await stage.toMain?.('invoke', channel, copy(args))),
  send: (channel: string, ...args: unknown[]) => void stage.toMain?.('send', channel, copy(args)),
  on(channel: string, listener: (event: object, ...args: unknown[]) => void) {
    stage.toPage.on(channel, (...args: unknown[]) => listener({}, ...args));
  },
});

export const webUtils = strict('webUtils', {
  getPathForFile(file: unknown) {
    if (!(file instanceof File)) throw new TypeError('Failed to get the path: not a File');
    return stage.droppedFiles.get(file) ?? '';
  },
});

function cross(value: unknown): unknown {
  if (typeof value !== 'function') return copy(value);
  return (...args: unknown[]): unknown => {
    const crossed = args.map((arg) => (typeof arg === 'function' || arg instanceof File ? arg : copy(arg)));
    return (value as (...args: unknown[]) => unknown)(...crossed);
  };
}
