/** Finds the last or next access to the cursor's address or register, for the keys that ask so in every pane. */
import { group } from '../../../shared/base/numbers.ts';
import type { AccessWay } from '../../../shared/requests/requests.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { isBackwards, locate, type Located, type Subject } from './locate.ts';
import type { RegisterName } from '../cursor.svelte.ts';
import { rememberPlace } from '../questions/late-answer.ts';
import type { TraceBase } from '../trace-base.ts';

export interface AccessAnswer {
  readonly way: AccessWay;
  readonly subject: Subject;
  readonly found: Located;
}

export interface AccessSearch {
  /** Kind of the running search. */
  readonly running: AccessWay | null;
  /** Last answer, as long as the cursor is at the record found. */
  readonly answer: AccessAnswer | null;
  /** Subject of the keys: the register or the address, whichever was chosen last. */
  readonly subject: Subject | null;
  /**
   * Searches from the cursor and moves it to the record found. Returns undefined if there is none, if the search was cancelled, or if
   * the cursor was moved meanwhile; a message says so in each case except a cancellation.
   */
  readonly find: (way: AccessWay) => Promise<RecordView | undefined>;
  readonly cancel: () => void;
}

export function createAccessSearch(trace: () => TraceBase, say: (text: string) => void): AccessSearch {
  let running = $state<AccessWay | null>(null);
  let answer = $state.raw<AccessAnswer | null>(null);
  let controller: AbortController | undefined;

  function subject(): Subject | null {
    const { register, address, about } = trace().cursor;
    if (register && about === 'register') return { kind: 'register', register };
    return address ? { kind: 'memory', span: address } : null;
  }

  function cancel(): void {
    controller?.abort();
    controller = undefined;
    running = null;
  }

  async function find(way: AccessWay): Promise<RecordView | undefined> {
    const about = subject();
    if (!about) {
      say('Choose an address or a register first: click a row, a byte or a register, or go to an address.');
      return undefined;
    }
    if (about.kind === 'register' && way.endsWith('read')) {
      say(readRefusal(about.register));
      return undefined;
    }
    cancel();
    const own = new AbortController();
    controller = own;
    running = way;
    say('');
    const { cursor } = trace();
    const requested = rememberPlace(cursor);
    // Starting beside the cursor's own record, so that repeating the command moves on.
    const at = isBackwards(way) ? cursor.n - 1 : cursor.n;
    const result = await locate(trace(), { subject: about, way, at }, own.signal);
    if (controller !== own) return undefined;
    controller = undefined;
    running = null;
    if (!result.ok) {
      say(result.error.message);
      return undefined;
    }
    const { record, reach } = result.value;
    if (!record) {
      const where = isBackwards(way) ? 'earlier' : 'later';
      const isOpen = !isBackwards(way) && !reach.complete;
      answer = null;
      say(
        requested.qualify(
          `There is no ${where} ${WAY_NOUNS[way]} ${subjectText(about)}${isOpen ? ' in the indexed part' : ''}.`,
        ),
      );
      return undefined;
    }
    if (!requested.isStillHere(true)) {
      say(
        requested.qualify(`${accessText({ way, subject: about, found: result.value })} by record ${group(record.n)}.`),
      );
      return undefined;
    }
    answer = { way, subject: about, found: result.value };
    if (about.kind === 'memory') cursor.jump(record.n, about.span);
    else cursor.jump(record.n);
    return record;
  }

  return {
    get running() {
      return running;
    },
    get answer() {
      return answer?.found.record?.n === trace().cursor.n ? answer : null;
    },
    get subject() {
      return subject();
    },
    find,
    cancel,
  };
}

/** Returns the reason why reads of a register cannot be found. */
export function readRefusal(register: RegisterName): string {
  return `The trace records writes of ${subjectText({ kind: 'register', register })}, but not reads.`;
}

/** Completes `the next ...` and `there is no later ...`. */
export const WAY_NOUNS: Readonly<Record<AccessWay, string>> = {
  'last-write': 'write to',
  'last-read': 'read of',
  'last-access': 'access to',
  'next-write': 'write to',
  'next-read': 'read of',
  'next-access': 'access to',
};

/** Returns how the record found relates to the subject: `0x8000 last written`, `r3 next set`. */
export function accessText({ way, subject }: AccessAnswer): string {
  const when = isBackwards(way) ? 'last' : 'next';
  const did = subject.kind === 'register' ? 'set' : DID[way];
  return `${subjectText(subject)} ${when} ${did}`;
}

const DID: Readonly<Record<AccessWay, string>> = {
  'last-write': 'written',
  'last-read': 'read',
  'last-access': 'touched',
  'next-write': 'written',
  'next-read': 'read',
  'next-access': 'touched',
};

/** Returns the values before and after: `00 67 → 10 67`, `0x10 → 0x11`, `67`. Empty if they are unknown. */
export function changeText({ subject, found: { before, after } }: AccessAnswer): string {
  if (after === undefined) return '';
  const isMemory = subject.kind === 'memory';
  const spaced = (text: string): string => (isMemory ? text.replaceAll(/..(?=.)/g, '$& ') : text);
  return before === after
    ? spaced(after)
    : `${before === undefined ? (isMemory ? '??' : '?') : spaced(before)} → ${spaced(after)}`;
}

/** Returns `0x8000`, `0x8000 (4 bytes)`, `r3` or `r3 of CPU 1`. */
function subjectText(subject: Subject): string {
  if (subject.kind === 'register') {
    const { name, cpu } = subject.register;
    return cpu === undefined || cpu === 0 ? name : `${name} of CPU ${cpu}`;
  }
  const { low, bytes } = subject.span;
  return `0x${low.toString(16)}${bytes === 1 ? '' : ` (${bytes} bytes)`}`;
}
