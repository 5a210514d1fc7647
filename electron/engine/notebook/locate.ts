/**
 * Locates the notebook of a trace, or the path for a new one. Candidates in order: (1) the path given by the user, (2) next to the trace
 * under its name, (3) next to it under another name, (4) in the user's data folder, (5) paths where it was seen before. The stored trace
 * identity identifies a notebook, never its name. Notebooks of other traces are left alone.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isWritable } from '../platform/private-files.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { TraceIdentity } from '../platform/file-identity.ts';
import { knownNotebooks } from './known-notebooks.ts';
import { peek, type Peeked } from './peek.ts';
import { damaged } from './problems.ts';

export interface Wanted {
  /** Absolute path of the trace. */
  readonly trace: string;
  /** Path given by the user. */
  readonly notebook?: string | undefined;
  readonly dataDirectory: string;
  readonly identity: TraceIdentity;
  /** Computes the identity of the first `bytes` bytes of the trace. */
  readonly identify: (bytes: number) => Result<TraceIdentity>;
}

export interface Place {
  readonly path: string;
  readonly exists: boolean;
  /** Reason why the file at `path` cannot be written. */
  readonly problem?: string;
  /** True if the file cannot be shown either, because it is not a notebook of this trace. */
  readonly unwanted?: boolean;
  readonly notices: readonly string[];
}

/** Maximum number of candidate files in the trace's folder. */
const NEIGHBOURS_MOST = 2000;
/** Maximum number of shorter traces to compare with. Each comparison takes a fraction of a millisecond. */
const LOOKS_MOST = 500;
const ENDING = '.notebook';
/** Maximum length of a trace's name in bytes, leaving room for the notebook's ending, a digest prefix and SQLite's `-journal`. */
const NAME_MOST = 255 - 26;

export function locate(wanted: Wanted): Place {
  if (wanted.notebook !== undefined) return named(wanted, path.resolve(wanted.notebook));
  const beside = `${wanted.trace}${ENDING}`;
  const peeked: Peeked = fitsBeside(wanted) ? peek(beside) : { kind: 'absent' };
  const there = judge(wanted, peeked, true);
  if (there === 'its') return { path: beside, exists: true, notices: [] };
  if (there === 'unusable') return { path: beside, exists: true, problem: unusable(beside, peeked), notices: [] };
  const own = ownPlace(wanted.dataDirectory, wanted.identity);
  const key = keyOf(wanted.identity);
  const others = [
    ...neighbours(wanted, beside),
    own,
    ...knownNotebooks(wanted.dataDirectory, (other) => other === key),
  ];
  const same = [...new Set(others)].filter((file) => judge(wanted, peek(file), false) === 'its');
  const found = same.length > 0 ? same : grown(wanted).filter((file) => judge(wanted, peek(file), true) === 'its');
  const notices =
    there === 'others' ? [`${beside} belongs to another trace and is not used`] : emptyNotice(beside, peeked);
  if (found[0] !== undefined) {
    const more = found
      .slice(1)
      .map((file) => `${file} also belongs to this trace; to use its notes here, export and import them`);
    return { path: found[0], exists: true, notices: [...notices, ...more] };
  }
  return { path: planned(wanted, beside, own, there === 'others'), exists: false, notices };
}

/** Returns recorded notebooks that may belong to the trace as it was before it grew. */
function grown({ identity, dataDirectory, identify }: Wanted): readonly string[] {
  let looks = LOOKS_MOST;
  return knownNotebooks(dataDirectory, (key) => {
    const bytes = Number.parseInt(key, 10);
    if (bytes >= identity.bytes || looks-- <= 0) return false;
    const then = identify(bytes);
    return then.ok && keyOf(then.value) === key;
  });
}

/** Path of the notebook in the user's data folder. */
export function ownPlace(dataDirectory: string, identity: TraceIdentity): string {
  return path.join(dataDirectory, 'notebooks', `${keyOf(identity)}${ENDING}`);
}

/** Returns the identity of a trace in the form used in file names. */
export function keyOf({ bytes, probe }: TraceIdentity): string {
  return `${String(bytes)}-${probe.slice(0, 32)}`;
}

type Judged = 'none' | 'its' | 'others' | 'unusable';

/** `grown`: also accepts a notebook of the trace as it was when it was shorter. */
function judge({ identity, identify }: Wanted, peeked: Peeked, grown: boolean): Judged {
  if (peeked.kind === 'absent' || peeked.kind === 'empty') return 'none';
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
    // SQLite's binding would strip the blanks and create a different file.
    const problem = `${file}: a notebook's name may not end with blanks; name another with --notebook`;
    return { path: file, exists: true, problem, unwanted: true, notices: [] };
  }
  const peeked = peek(file);
  const judged = judge(wanted, peeked, true);
  if (judged === 'others') {
    const problem = `${file}: this notebook belongs to another trace; name another with --notebook`;
    return { path: file, exists: true, problem, unwanted: true, notices: [] };
  }
  if (judged === 'unusable') {
    const unwanted = peeked.kind !== 'notebook';
    return { path: file, exists: true, problem: unusable(file, peeked), unwanted, notices: [] };
  }
  return { path: file, exists: judged === 'its', notices: emptyNotice(file, peeked) };
}

/** Notes may have been lost, but there is nothing to protect: new notes go to this file. */
function emptyNotice(file: string, { kind }: Peeked): readonly string[] {
  if (kind !== 'empty') return [];
  return [
    `${file}: this notebook is damaged: it has 0 bytes; if it had notes, restore it from a copy before you add new ones, which are kept in it`,
  ];
}

function unusable(file: string, peeked: Peeked): string {
  switch (peeked.kind) {
    case 'unreadable':
      return `${file}: this notebook cannot be read (${peeked.why}); ask its owner for permission, or name another with --notebook`;
    case 'foreign':
      return `${file}: this is not a notebook, or its header is damaged; it was not changed, name another with --notebook`;
    case 'notebook':
    case 'absent':
    case 'empty':
      return damaged(file);
  }
}

/** Path for a new notebook: next to the trace if its folder is writable. */
function planned(wanted: Wanted, beside: string, own: string, taken: boolean): string {
  if (!fitsBeside(wanted) || !isWritable(path.dirname(wanted.trace))) return own;
  return taken ? `${wanted.trace}.${wanted.identity.probe.slice(0, 8)}${ENDING}` : beside;
}

function fitsBeside({ trace }: Wanted): boolean {
  return Buffer.byteLength(path.basename(trace)) <= NAME_MOST;
}

function neighbours(wanted: Wanted, beside: string): readonly string[] {
  const folder = path.dirname(wanted.trace);
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch {
    // A folder may be searchable but not listable. In that case only the default name is found.
    return [];
  }
  return names
    .filter((name) => name.endsWith(ENDING))
    .sort()
    .slice(0, NEIGHBOURS_MOST)
    .map((name) => path.join(folder, name))
    .filter((file) => file !== beside);
}
