/**
 * Shared by the main side and the preload side of the stand-in for Electron, and by the program that acts as the user. The stand-in is
 * no mock of our code but a small Electron, which runs the real main.ts and preload.ts. It covers the calls that they use and ends the
 * process with status 70 and a sentence on any other call, so that it cannot accept a call that Electron would refuse.
 */
import { EventEmitter } from 'node:events';

/** Status of a process whose program used something that the stand-in does not cover. */
export const NOT_COVERED = 70;

export function refuse(what: string): never {
  process.stderr.write(`stand-in: ${what}\n`);
  process.exit(NOT_COVERED);
}

/** Returns the object, except that reading or setting a missing property ends the process. */
export function strict<T extends object>(name: string, object: T): T {
  return new Proxy(object, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown;
      if (typeof value === 'function') return value.bind(target) as unknown;
      // Awaiting a value reads `then`, and printing it reads symbols.
      if (key in target || typeof key === 'symbol' || key === 'then') return value;
      return refuse(`electron has no ${name}.${key} here`);
    },
    set: (_target, key) => refuse(`${name}.${String(key)} was set`),
  });
}

export function demand(condition: boolean, what: string): void {
  if (!condition) refuse(what);
}

/** An emitter with a fixed list of events; `emitDefault` respects `event.preventDefault`. */
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

  /** Passes values to the listeners of an event that has no default action. */
  send(event: string, ...values: unknown[]): void {
    demand(this.#events.includes(event), `${this.#owner} has no event ${event} here`);
    this.#emitter.emit(event, ...values);
  }

  /** True if a listener prevented the default action. */
  emitDefault(event: string, details: object = {}, ...rest: unknown[]): boolean {
    demand(this.#events.includes(event), `${this.#owner} has no event ${event} here`);
    let prevented = false;
    this.#emitter.emit(event, { ...details, preventDefault: () => (prevented = true) }, ...rest);
    return prevented;
  }
}

/** Refuses options that Electron does not know, or that this stand-in does not support. */
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

/** The only page: filled by the preload, used by the user. */
export interface Page {
  readonly world: Record<string, unknown>;
  readonly url: string;
}

/** Everything that happened, and the answers for the next questions to the user. */
export const stage = {
  /** Calls with an effect outside the program, in order. */
  log: [] as unknown[][],
  openDialogAnswers: [] as (readonly string[] | undefined)[],
  /** Message boxes that wait for the user to press a button. */
  messageBoxes: [] as ((button: number) => void)[],
  page: undefined as Page | undefined,
  /** Resolves when the window has shown its page for the first time. */
  shown: Promise.withResolvers<undefined>(),
  /** Files on disk, as opposed to files that a script created. */
  droppedFiles: new WeakMap<File, string>(),
  /** Main side: handles a message of the page and returns the result of `invoke`. */
  toMain: undefined as ((kind: 'send' | 'invoke', channel: string, args: readonly unknown[]) => unknown) | undefined,
  /** Preload side: listeners for messages of main. */
  toPage: new EventEmitter(),
};

/** Copies a value that crosses processes or worlds. Functions do not cross. */
export function copy<T>(value: T): T {
  return structuredClone(value);
}
