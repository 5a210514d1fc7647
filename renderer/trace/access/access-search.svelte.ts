/** Who wrote this, who reads it next: the question that one key asks in every pane, about the cursor's address or register. */
import { group } from '../../../present/base/numbers.ts';
import type { AccessWay } from '../../../shared/requests/requests.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { isBackwards, locate, type Located, type Subject } from './locate.ts';
import { placeThen } from '../questions/late-answer.ts';
import type { Trace } from '../trace.svelte.ts';

export interface WhoAnswer {
  readonly way: AccessWay;
  readonly subject: Subject;
  readonly found: Located;
}

export interface Who {
  /** The way that is being looked for. */
  readonly running: AccessWay | null;
  /** What was found last, as long as the cursor stands there. */
  readonly answer: WhoAnswer | null;
  /** What the keys ask about: the register chosen last, else the address. */
  readonly subject: Subject | null;
  /**
   * Looks from the cursor, moves it to what is found and answers that; undefined where nobody is, the question was stopped, or the
   * person has gone elsewhere meanwhile, who is told.
   */
  readonly ask: (way: AccessWay) => Promise<RecordView | undefined>;
  readonly cancel: () => void;
}

export function createWho(trace: () => Trace, say: (text: string) => void): Who {
  let running = $state<AccessWay | null>(null);
  let answer = $state.raw<WhoAnswer | null>(null);
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

  async function ask(way: AccessWay): Promise<RecordView | undefined> {
    const about = subject();
    if (!about) {
      say('Choose an address or a register first: click a row, a byte or a register, or press g.');
      return undefined;
    }
    if (about.kind === 'register' && way.endsWith('read')) {
      say(`The trace tells who set ${subjectText(about)}, not who read it.`);
      return undefined;
    }
    cancel();
    const own = new AbortController();
    controller = own;
    running = way;
    say('');
    const { cursor } = trace();
    const then = placeThen(cursor);
    // The cursor's own record is where one stands: asking again walks on.
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
        then.told(
          `There is no ${where} ${WAY_NOUNS[way]} ${subjectText(about)}${isOpen ? ' in the part that is indexed' : ''}.`,
        ),
      );
      return undefined;
    }
    if (!then.isHere(true)) {
      say(then.told(`${whoText({ way, subject: about, found: result.value })} by record ${group(record.n)}.`));
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
    ask,
    cancel,
  };
}

/** To complete `the next ...`, `there is no later ...`. */
export const WAY_NOUNS: Readonly<Record<AccessWay, string>> = {
  'last-write': 'write to',
  'last-read': 'read of',
  'last-access': 'access to',
  'next-write': 'write to',
  'next-read': 'read of',
  'next-access': 'access to',
};

/** `0x8000 last written`, `r3 next set`: what the record found has to do with what was asked about. */
export function whoText({ way, subject }: WhoAnswer): string {
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

/** `00 67 → 10 67`, `0x10 → 0x11`, `67`: what it held before and after; empty where that is not known. */
export function changeText({ subject, found: { before, after } }: WhoAnswer): string {
  if (after === undefined) return '';
  const isMemory = subject.kind === 'memory';
  const spaced = (text: string): string => (isMemory ? text.replaceAll(/..(?=.)/g, '$& ') : text);
  return before === after
    ? spaced(after)
    : `${before === undefined ? (isMemory ? '??' : '?') : spaced(before)} → ${spaced(after)}`;
}

/** `0x8000`, `0x8000 (4 bytes)`, `r3`, `r3 of cpu 1`. */
function subjectText(subject: Subject): string {
  if (subject.kind === 'register') {
    const { name, cpu } = subject.register;
    return cpu === undefined || cpu === 0 ? name : `${name} of cpu ${cpu}`;
  }
  const { low, bytes } = subject.span;
  return `0x${low.toString(16)}${bytes === 1 ? '' : ` (${bytes} bytes)`}`;
}
