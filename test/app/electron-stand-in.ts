/**
 * Shared by the stand-in for Electron: its main side, its preload side, and the program that plays the user.
 *
 * The stand-in is no mock of our code: it is a small Electron, which runs the real main.ts and preload.ts. It covers what
 * they use and ends the process with status 70 and a sentence on anything else, so that it cannot quietly agree with a
 * call that Electron would refuse.
 */
import { EventEmitter } from 'node:events';

/** Status of a process whose program used something that the stand-in does not cover. */
export const NOT_COVERED = 70;

export function refuse(what: string): never {
  process.stderr.write(`stand-in: ${what}\n`);
  process.exit(NOT_COVERED);
}

/** The object itself, except that reading or setting anything it does not have ends the process. */
export function strict<T extends object>(name: string, object: T): T {
  return new Proxy(object, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown;
      if (typeof value === 'function') return value.bind(target) as unknown;
      // Awaiting a value asks for `then`, printing it for symbols.
      if (key in target || typeof key === 'symbol' || key === 'then') return value;
      return refuse(`electron has no ${name}.${key} here`);
    },
    set: (_target, key) => refuse(`${name}.${String(key)} was set`),
  });
}

export function demand(condition: boolean, what: string): void {
  if (!condition) refuse(what);
}

/** An emitter for which only the listed events exist; `event.preventDefault` is seen by `emitDefault`. */
export class StrictEmitter {
  readonly #emitter = new EventEmitter();
  readonly #owner: string;
  readonly #events: readonly string[];

  constructor(owner: string, events: readonly string[]) {
    this.#owner = owner;
    this.#events = events;
  }

  on(event: string, listener: (...args: unknown[]) => void): this {
    demand(this.#events.includes(event), `${this.#owner} has no event ${event} here`);
    this.#emitter.on(event, listener);
    return this;
  }

  once(event: string, listener: (...args: unknown[]) => void): this {
    demand(this.#events.includes(event), `${this.#owner} has no event ${event} here`);
    this.#emitter.once(event, listener);
    return this;
  }

  /** True when a listener prevented what would happen by itself. */
  emitDefault(event: string, details: object = {}, ...rest: unknown[]): boolean {
    demand(this.#events.includes(event), `${this.#owner} has no event ${event} here`);
    let prevented = false;
    this.#emitter.emit(event, { ...details, preventDefault: () => (prevented = true) }, ...rest);
    return prevented;
  }
}

/** Refuses options that Electron would not know, or that this stand-in does not honour. */
export function demandKeys(what: string, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) demand(known.includes(key), `${what} has no option ${key} here`);
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface MenuEntry {
  readonly menu: string;
  readonly label: string;
  readonly id?: string;
  readonly accelerator?: string;
  readonly registered: boolean;
}

/** The one page: filled by the preload, used by the person. */
export interface Page {
  readonly world: Record<string, unknown>;
  readonly url: string;
}

/** Everything that happened, and what will be answered when the program asks the person. */
export const stage = {
  /** In order: calls that have an effect outside the program. */
  log: [] as unknown[][],
  openDialogAnswers: [] as (readonly string[] | undefined)[],
  /** Boxes that wait for the person to press a button. */
  messageBoxes: [] as ((button: number) => void)[],
  page: undefined as Page | undefined,
  /** Settles when the window has shown its page for the first time. */
  shown: Promise.withResolvers<undefined>(),
  /** Files that really lie somewhere, as against those that a script made up. */
  droppedFiles: new WeakMap<File, string>(),
  /** Main side: handles a message of the page; answers what `invoke` gives. */
  toMain: undefined as ((kind: 'send' | 'invoke', channel: string, args: readonly unknown[]) => unknown) | undefined,
  /** Preload side: listeners for messages of main. */
  toPage: new EventEmitter(),
};

/** Copies a value that crosses processes or worlds. Functions do not cross. */
export function copy<T>(value: T): T {
  return structuredClone(value);
}
