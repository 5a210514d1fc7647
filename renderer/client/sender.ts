/**
 * Sends calls to Tracebench with fetch, and hands on their frames. Calls that are made at the same time share one HTTP request: each
 * HTTP request costs several milliseconds of two processors, and a browser runs only six at once.
 */
import type { RequestName } from '../../shared/requests/requests.ts';
import { MOST_CANCELLED, MOST_TOGETHER, TOGETHER, TOGETHER_BYTES } from '../../shared/wire/together.ts';
import { createFrameReader, FRAMES_TYPE, type Frame } from '../../shared/wire/frames.ts';

export interface Call {
  readonly name: RequestName;
  /** Arguments as JSON. */
  readonly args: string;
  /** The browser sends it even if the page is left meanwhile. */
  readonly outlivesPage: boolean;
  /** Takes a frame, and the number of bytes that arrived for it. The last frame holds the answer. */
  readonly receive: (frame: Frame, bytes: number) => void;
  /** Takes a frame before `receive` does, if its text can contain characters outside printable ASCII. */
  readonly receiveText: (frame: Frame) => void;
  /** Takes the text of a response that is no stream of frames. */
  readonly refuse: (text: string) => void;
  /** There will be no answer: the connection failed, or the stream ended too early. */
  readonly lose: (error?: unknown) => void;
}

/** Sends a call, and returns a function that cancels it: no frame is received after that. */
export type Send = (call: Call) => () => void;

/** Milliseconds for which a task that makes more and more calls keeps the first ones waiting: the engine could work on them. */
const LONGEST_WAIT = 25;
/** Calls with longer arguments are sent by themselves. */
const LONG_ARGUMENTS = TOGETHER_BYTES / MOST_TOGETHER / 2;

/**
 * @param base address of the page, ending with a slash
 * @param alone sends each call by itself, under its name
 */
export function createSender(base: string, alone = false): Send {
  /** Distinguishes calls of this page from those of other pages. */
  const page = crypto.getRandomValues(new Uint32Array(2)).join('-');
  let made = 0;
  let since = 0;
  let waiting = new Map<string, Call>();
  let cancelled: string[] = [];
  /** Calls that wait for their answers. */
  const open = new Map<string, Call>();
  /** Those that were sent by themselves, and what ends their HTTP request. */
  const ends = new Map<string, AbortController>();

  /** Calls `flush` after the current task, which may make more calls. */
  function soon(): void {
    if (waiting.size + cancelled.length > 0) return;
    since = performance.now();
    queueMicrotask(flush);
  }

  function flush(): void {
    const calls = waiting;
    const dropped = cancelled;
    waiting = new Map();
    cancelled = [];
    const [first] = calls;
    if (first && calls.size === 1 && dropped.length === 0) postAlone(...first);
    else if (calls.size + dropped.length > 0) void post(`api/${TOGETHER}`, bodyOf(calls, dropped), calls);
  }

  function postAlone(id: string, call: Call): void {
    const end = new AbortController();
    ends.set(id, end);
    const { signal } = end;
    const done = post(`api/${call.name}`, call.args, new Map([[id, call]]), { signal, keepalive: call.outlivesPage });
    void done.finally(() => ends.delete(id));
  }

  /** Sends calls and reads their frames. A call that has no answer by then is lost. */
  async function post(
    path: string,
    body: string,
    calls: ReadonlyMap<string, Call>,
    options: Pick<RequestInit, 'signal' | 'keepalive'> = {},
  ): Promise<void> {
    for (const [id, call] of calls) open.set(id, call);
    const takeOpen = (): readonly Call[] => [...calls].flatMap(([id, call]) => (open.delete(id) ? [call] : []));
    try {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${base}${path}`, { ...options, method: 'POST', headers, body });
      if (response.status === 204) return;
      if (response.headers.get('content-type') === FRAMES_TYPE && response.body) await read(response.body, calls);
      else {
        const text = (await response.text()).trim();
        for (const call of takeOpen()) call.refuse(text);
      }
      for (const call of takeOpen()) call.lose();
    } catch (error) {
      for (const call of takeOpen()) call.lose(error);
    }
  }

  async function read(body: ReadableStream<Uint8Array>, calls: ReadonlyMap<string, Call>): Promise<void> {
    /** A frame without a name is for all calls of its stream. */
    const idsOf = ({ call }: Frame): readonly string[] => (call === undefined ? [...calls.keys()] : [call]);
    const decoder = new TextDecoder('latin1');
    const frames = createFrameReader({
      text: (ascii) => decoder.decode(ascii),
      onOtherText: (frame) =>
        idsOf(frame)
          .slice(0, 1)
          .forEach((id) => open.get(id)?.receiveText(frame)),
    });
    const reader = body.getReader();
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
      for (const frame of frames.push(value)) {
        for (const id of idsOf(frame)) {
          const call = open.get(id);
          if ('answer' in frame) open.delete(id);
          call?.receive(frame, bytes);
        }
        bytes = 0;
      }
    }
  }

  return (call) => {
    made += 1;
    const id = `${page}-${String(made)}`;
    if (alone || call.outlivesPage || call.args.length > LONG_ARGUMENTS) postAlone(id, call);
    else {
      if (waiting.size === MOST_TOGETHER || (waiting.size > 0 && performance.now() - since > LONGEST_WAIT)) flush();
      soon();
      waiting.set(id, call);
    }
    return () => cancel(id);
  };

  function cancel(id: string): void {
    waiting.delete(id);
    if (!open.delete(id)) return;
    const end = ends.get(id);
    if (end) {
      end.abort();
      return;
    }
    if (cancelled.length === MOST_CANCELLED) flush();
    soon();
    cancelled.push(id);
  }
}

function bodyOf(calls: ReadonlyMap<string, Call>, cancelled: readonly string[]): string {
  // The arguments are JSON already.
  const list = [...calls].map(([id, { name, args }]) => `{"id":"${id}","name":"${name}","args":${args}}`);
  return `{"calls":[${list.join(',')}],"cancelled":${JSON.stringify(cancelled)}}`;
}
