/** Last and next accesses to one address span or register at one record, found one after the other. */
import type { AccessWay } from '../../../shared/requests/requests.ts';
import type { Failure } from '../../../shared/base/result.ts';
import { locate, type Located, type Subject } from './locate.ts';
import type { TraceBase } from '../trace-base.ts';

export interface AccessLine {
  readonly label: string;
  readonly way: AccessWay;
  /** Starts before the current record, whose own access is another line. */
  readonly strictly?: boolean;
}

export interface AccessKey {
  readonly subject: Subject;
  readonly at: number;
  /** The whole trace is indexed. Before, an access that was not found may still appear. */
  readonly complete: boolean;
}

export interface Accesses {
  /** Returns the answer for a key, or undefined while it is pending. */
  readonly find: (key: AccessKey, line: AccessLine) => Located | Failure | undefined;
  /** Requests all lines of a key, and cancels earlier requests. */
  readonly ask: (key: AccessKey) => void;
  readonly stop: () => void;
}

export const MEMORY_LINES: readonly AccessLine[] = [
  { label: 'Written by', way: 'last-write' },
  { label: 'Previous', way: 'last-access', strictly: true },
  { label: 'Next access', way: 'next-access' },
  { label: 'Next read', way: 'next-read' },
  { label: 'Next write', way: 'next-write' },
];

export const REGISTER_LINES: readonly AccessLine[] = [
  { label: 'Set by', way: 'last-write' },
  { label: 'Set next', way: 'next-write' },
];

export function createAccesses(trace: TraceBase, lines: readonly AccessLine[]): Accesses {
  let held = $state.raw<{ readonly key: AccessKey; readonly found: ReadonlyMap<AccessLine, Located | Failure> }>();
  let controller: AbortController | undefined;

  function stop(): void {
    controller?.abort();
    controller = undefined;
  }

  async function look(key: AccessKey, signal: AbortSignal): Promise<void> {
    const { subject, at } = key;
    const found = new Map<AccessLine, Located | Failure>();
    for (const line of lines) {
      const result = await locate(trace, { subject, way: line.way, at: line.strictly ? at - 1 : at }, signal);
      if (signal.aborted) return;
      found.set(line, result.ok ? result.value : result.error);
      held = { key, found: new Map(found) };
    }
  }

  return {
    find: (key, line) => (held && isSame(held.key, key) ? held.found.get(line) : undefined),
    ask(key) {
      stop();
      controller = new AbortController();
      void look(key, controller.signal);
    },
    stop,
  };
}

function isSame(a: AccessKey, b: AccessKey): boolean {
  if (a.at !== b.at || a.complete !== b.complete) return false;
  if (a.subject.kind === 'memory')
    return (
      b.subject.kind === 'memory' &&
      a.subject.span.low === b.subject.span.low &&
      a.subject.span.bytes === b.subject.span.bytes
    );
  const { register } = a.subject;
  return (
    b.subject.kind === 'register' &&
    register.name === b.subject.register.name &&
    register.cpu === b.subject.register.cpu
  );
}
