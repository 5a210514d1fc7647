/**
 * Where is the notebook of a trace, or where would it be? (1) Where the person says, (2) beside the trace under its name,
 * (3) beside it under another name, (4) in the user's data folder, (5) where it was seen last. A notebook is known by the
 * trace that it is of, never by its name; one of another trace is left alone.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Result } from '../../../shared/base/result.ts';
import type { TraceIdentity } from '../platform/file-identity.ts';
import { knownNotebooks } from './known-notebooks.ts';
import { peek, type Peeked } from './peek.ts';
import { damaged } from './problems.ts';

export interface Wanted {
  /** Of the trace, absolute. */
  readonly trace: string;
  /** What the person named. */
  readonly notebook?: string | undefined;
  readonly dataDirectory: string;
  readonly identity: TraceIdentity;
  /** Of the first `bytes` of the trace. */
  readonly identify: (bytes: number) => Result<TraceIdentity>;
}

export interface Place {
  readonly path: string;
  readonly exists: boolean;
  /** Why what lies there cannot be written to. */
  readonly problem?: string;
  /** True where it cannot be shown either: it is not what the person wanted. */
  readonly unwanted?: boolean;
  readonly notices: readonly string[];
}

/** Names that are looked at in the trace's folder. */
const NEIGHBOURS_MOST = 2000;
/** Shorter traces that a trace is compared with; each takes a part of a millisecond. */
const LOOKS_MOST = 500;
const ENDING = '.notebook';
/** Bytes of a trace's name to which a notebook's ending, the beginning of a digest and SQLite's `-journal` can be added. */
const NAME_MOST = 255 - 26;

export function locate(wanted: Wanted): Place {
  if (wanted.notebook !== undefined) return named(wanted, path.resolve(wanted.notebook));
  const beside = `${wanted.trace}${ENDING}`;
  const there = fitsBeside(wanted) ? judge(wanted, peek(beside), true) : 'none';
  if (there === 'its') return { path: beside, exists: true, notices: [] };
  if (there === 'unusable') return { path: beside, exists: true, problem: unusable(beside, peek(beside)), notices: [] };
  const own = ownPlace(wanted.dataDirectory, wanted.identity);
  const key = keyOf(wanted.identity);
  const others = [
    ...neighbours(wanted, beside),
    own,
    ...knownNotebooks(wanted.dataDirectory, (other) => other === key),
  ];
  const same = [...new Set(others)].filter((file) => judge(wanted, peek(file), false) === 'its');
  const found = same.length > 0 ? same : grown(wanted).filter((file) => judge(wanted, peek(file), true) === 'its');
  const notices = there === 'others' ? [`${beside} is of another trace and is left alone`] : [];
  if (found[0] !== undefined) {
    const more = found
      .slice(1)
      .map((file) => `${file} is of this trace too; its notes can be exported and imported here`);
    return { path: found[0], exists: true, notices: [...notices, ...more] };
  }
  return { path: planned(wanted, beside, own, there === 'others'), exists: false, notices };
}

/** Notebooks elsewhere that may be of the trace as it was before it grew. */
function grown({ identity, dataDirectory, identify }: Wanted): readonly string[] {
  let looks = LOOKS_MOST;
  return knownNotebooks(dataDirectory, (key) => {
    const bytes = Number.parseInt(key, 10);
    if (bytes >= identity.bytes || looks-- <= 0) return false;
    const then = identify(bytes);
    return then.ok && keyOf(then.value) === key;
  });
}

/** In the user's data folder. */
export function ownPlace(dataDirectory: string, identity: TraceIdentity): string {
  return path.join(dataDirectory, 'notebooks', `${keyOf(identity)}${ENDING}`);
}

/** How a trace is named in names of files. */
export function keyOf({ bytes, probe }: TraceIdentity): string {
  return `${String(bytes)}-${probe.slice(0, 32)}`;
}

type Judged = 'none' | 'its' | 'others' | 'unusable';

/** `grown`: also one of the trace as it was when it was shorter. */
function judge({ identity, identify }: Wanted, peeked: Peeked, grown: boolean): Judged {
  if (peeked.kind === 'absent') return 'none';
  if (peeked.kind !== 'notebook' || peeked.of.length === 0) return 'unusable';
  const its = peeked.of.some(({ bytes, probe }) => {
    if (bytes === identity.bytes) return probe === identity.probe;
    if (!grown || bytes > identity.bytes) return false;
    const then = identify(bytes);
    return then.ok && then.value.probe === probe;
  });
  return its ? 'its' : 'others';
}

function named(wanted: Wanted, file: string): Place {
  if (file !== file.trim()) {
    // SQLite's binding would leave them out, and make another file.
    const problem = `${file}: a notebook's name may not end with blanks; name another with --notebook`;
    return { path: file, exists: true, problem, unwanted: true, notices: [] };
  }
  const peeked = peek(file);
  const judged = judge(wanted, peeked, true);
  if (judged === 'others') {
    const problem = `${file}: this notebook is of another trace; name another with --notebook`;
    return { path: file, exists: true, problem, unwanted: true, notices: [] };
  }
  if (judged === 'unusable') {
    const unwanted = peeked.kind !== 'notebook';
    return { path: file, exists: true, problem: unusable(file, peeked), unwanted, notices: [] };
  }
  return { path: file, exists: judged === 'its', notices: [] };
}

function unusable(file: string, peeked: Peeked): string {
  switch (peeked.kind) {
    case 'unreadable':
      return `${file}: this notebook cannot be read (${peeked.why}); ask its owner for permission, or name another with --notebook`;
    case 'foreign':
      return `${file}: this is not a notebook, or its beginning is damaged; it is left alone, name another with --notebook`;
    case 'notebook':
    case 'absent':
      return damaged(file);
  }
}

/** Beside the trace where its folder can be written to. */
function planned(wanted: Wanted, beside: string, own: string, taken: boolean): string {
  if (!fitsBeside(wanted) || !isWritable(path.dirname(wanted.trace))) return own;
  return taken ? `${wanted.trace}.${wanted.identity.probe.slice(0, 8)}${ENDING}` : beside;
}

function fitsBeside({ trace }: Wanted): boolean {
  return Buffer.byteLength(path.basename(trace)) <= NAME_MOST;
}

export function isWritable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function neighbours(wanted: Wanted, beside: string): readonly string[] {
  const folder = path.dirname(wanted.trace);
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch {
    // A folder may be passed through without being listed: then only the notebook's own name is found.
    return [];
  }
  return names
    .filter((name) => name.endsWith(ENDING))
    .sort()
    .slice(0, NEIGHBOURS_MOST)
    .map((name) => path.join(folder, name))
    .filter((file) => file !== beside);
}
