/**
 * Reads images in a thread of their own. Image files are not trusted: however long one takes, the engine serves other requests, and the
 * thread is ended when the request is cancelled, or after a limit of time or memory. Names and lines that were left out have a notice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { BAD_IMAGE } from '../../../shared/requests/failures.ts';
import type { ImagePart, ImagePlace, ImageProgress } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { Task } from '../threads/task.ts';
import { workerUrl } from '../threads/worker-url.ts';
import type { Image } from './image.ts';
import type { DebugScopes } from './elf/dwarf-scopes.ts';
import type { DebugVariables } from './elf/dwarf-types.ts';
import {
  receivedImage,
  withLines,
  type FromImageThread,
  type ToImageThread,
  type ScopesWanted,
  type VariablesWanted,
} from './image-message.ts';
import { createImages, type Images } from './images.ts';
import { createLineTable } from './line-table.ts';

/** Limits of reading one image. */
export interface ImageLimits {
  readonly seconds: number;
  readonly heapMegabytes: number;
}

const LIMITS: ImageLimits = { seconds: 120, heapMegabytes: 2048 };
/** Milliseconds before a request's first report of progress, and between checks for cancellation. */
const QUIET_MS = 500;
const POLL_MS = 20;
/** Time that an idle thread is kept, because starting one takes about a tenth of a second. */
const IDLE_MS = 5000;

/** Opens images in their order. Fails as the first one that cannot be read. */
export async function openImages(
  places: readonly ImagePlace[] = [],
  task: Task<ImageProgress>,
  limits = LIMITS,
): Promise<Result<Images>> {
  const list: Image[] = [];
  for await (const image of readImages(places, task, limits)) {
    if (!image.ok) return task.cancelled() ? image : fail(BAD_IMAGE, image.error.message);
    list.push(image.value);
  }
  return ok(createImages(list));
}

/** Reads the variables of an image. Fails as a cancelled task, or with BAD_IMAGE. */
export async function readVariablesOf(
  { path, digest }: Pick<Image, 'path' | 'digest'>,
  task: Task<ImageProgress>,
  limits = LIMITS,
): Promise<Result<DebugVariables>> {
  const thread = takeIdle(limits) ?? startThread(limits);
  try {
    return await thread.readVariables({ variablesOf: path, digest: digest() }, task, performance.now() + QUIET_MS);
  } finally {
    keepIdle(thread);
  }
}

/** Reads where functions of an image are inlined, and where its units were compiled. Fails as a cancelled task, or with BAD_IMAGE. */
export async function readScopesOf(
  { path, digest }: Pick<Image, 'path' | 'digest'>,
  task: Task<ImageProgress>,
  limits = LIMITS,
): Promise<Result<DebugScopes>> {
  const thread = takeIdle(limits) ?? startThread(limits);
  try {
    return await thread.readScopes({ scopesOf: path, digest: digest() }, task, performance.now() + QUIET_MS);
  } finally {
    keepIdle(thread);
  }
}

/** Yields an image, or a failure, for each place. A cancelled task ends with its failure. */
export async function* readImages(
  places: readonly ImagePlace[],
  task: Task<ImageProgress>,
  limits = LIMITS,
): AsyncGenerator<Result<Image>, undefined> {
  let thread: ImageThread | undefined;
  const quietUntil = performance.now() + QUIET_MS;
  try {
    for (const place of places) {
      if (thread?.ended !== false) thread = takeIdle(limits) ?? startThread(limits);
      const image = await thread.read(place, task, quietUntil);
      yield task.cancelled() ? task.cancel() : image;
      if (task.cancelled()) return;
    }
  } finally {
    if (thread !== undefined) keepIdle(thread);
  }
}

/** A thread that reads nothing at the moment. */
let idle: { readonly thread: ImageThread; readonly timer: NodeJS.Timeout } | undefined;

function takeIdle(limits: ImageLimits): ImageThread | undefined {
  if (idle?.thread.limits !== limits) return undefined;
  const { thread, timer } = idle;
  clearTimeout(timer);
  idle = undefined;
  return thread.ended ? undefined : thread;
}

function keepIdle(thread: ImageThread): void {
  if (thread.ended) return;
  if (idle !== undefined) {
    thread.end();
    return;
  }
  const timer = setTimeout(() => {
    idle = undefined;
    thread.end();
  }, IDLE_MS);
  idle = { thread, timer: timer.unref() };
}

interface ImageThread {
  readonly limits: ImageLimits;
  readonly ended: boolean;
  /** Ends the thread if it is not done in time or the task is cancelled. Reports nothing before `quietUntil`. */
  read(place: ImagePlace, task: Task<ImageProgress>, quietUntil: number): Promise<Result<Image>>;
  readVariables(
    wanted: VariablesWanted,
    task: Task<ImageProgress>,
    quietUntil: number,
  ): Promise<Result<DebugVariables>>;
  readScopes(wanted: ScopesWanted, task: Task<ImageProgress>, quietUntil: number): Promise<Result<DebugScopes>>;
  end(): void;
}

/** Reading of one image. */
interface Reading {
  readonly path: string;
  image?: Image;
  progress?: { readonly part: ImagePart; readonly bytes: number; readonly of: number };
  /** Set when the image or its variables are read, or cannot be. */
  result?: Result<unknown>;
  done: () => void;
}

function startThread(limits: ImageLimits): ImageThread {
  const { seconds, heapMegabytes } = limits;
  const worker = new Worker(workerUrl('image-worker'), { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
  let reading: Reading | undefined;
  let crash: Error | undefined;

  worker.on('message', (message: FromImageThread) => {
    if (reading === undefined) return;
    switch (message.type) {
      case 'progress':
        reading.progress = message;
        return;
      case 'failure':
        settle({ ok: false, error: message.error });
        return;
      case 'content':
        reading.image = receivedImage(message.image);
        if (!message.hasLines) settle(ok(reading.image));
        return;
      case 'variables':
        settle(ok(message.variables));
        return;
      case 'scopes':
        settle(ok(message.scopes));
        return;
      case 'lines':
        if (reading.image !== undefined) settle(ok(withLines(reading.image, message.lines)));
    }
  });
  worker.on('error', (error: Error & { readonly code?: string }) => {
    own.ended = true;
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') giveUp(`it needs more than ${heapMegabytes} MiB of memory`);
    else {
      crash = error;
      reading?.done();
    }
  });
  worker.on('exit', () => {
    if (own.ended) return;
    own.ended = true;
    crash ??= new Error('the thread that reads images has ended');
    reading?.done();
  });

  const own = {
    limits,
    ended: false,
    read: (place: ImagePlace, task: Task<ImageProgress>, quietUntil: number) =>
      run<Image>(place.path, place, task, quietUntil),
    readVariables: (wanted: VariablesWanted, task: Task<ImageProgress>, quietUntil: number) =>
      run<DebugVariables>(wanted.variablesOf, wanted, task, quietUntil),
    readScopes: (wanted: ScopesWanted, task: Task<ImageProgress>, quietUntil: number) =>
      run<DebugScopes>(wanted.scopesOf, wanted, task, quietUntil),
    end(): void {
      own.ended = true;
      void worker.terminate();
    },
  };
  return own;

  /** Sends a message and waits for the result, whose type the message decides. */
  async function run<T>(
    path: string,
    message: ToImageThread,
    task: Task<ImageProgress>,
    quietUntil: number,
  ): Promise<Result<T>> {
    const done = new Promise<void>((resolve) => {
      reading = { path, done: resolve };
    });
    const current = reading!;
    // An idle thread does not keep the process.
    worker.ref();
    worker.postMessage(message);
    const start = performance.now();
    while (current.result === undefined && crash === undefined) {
      await Promise.race([done, delay(POLL_MS, undefined, { ref: false })]);
      const now = performance.now();
      if (task.cancelled()) {
        own.end();
        return task.cancel();
      }
      if (now - start > seconds * 1000) giveUp(`it takes more than ${seconds} seconds`);
      else if (now > quietUntil) task.progress(() => progressOf(current));
    }
    reading = undefined;
    worker.unref();
    if (crash !== undefined) throw crash;
    return current.result as Result<T>;
  }

  function settle(result: Result<unknown>): void {
    if (reading === undefined) return;
    reading.result ??= result;
    reading.done();
  }

  /** Ends the thread. An image without its lines is still useful. */
  function giveUp(why: string): void {
    own.end();
    if (reading === undefined) return;
    const { path, image } = reading;
    if (image === undefined) {
      settle(fail(BAD_IMAGE, `${path}: reading this image is given up, because ${why}; use a stripped image`));
    } else {
      const problem = `its source lines are left out: reading them is given up, because ${why}`;
      settle(ok(withLines(image, createLineTable().finish([problem]).columns)));
    }
  }
}

function progressOf({ path, progress }: Reading): ImageProgress {
  const { part, bytes, of } = progress ?? { part: 'file', bytes: 0, of: 0 };
  return { image: path, part, bytes, totalBytes: of, bytesPerSecond: 0, secondsLeft: null };
}
