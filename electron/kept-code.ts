/**
 * Loads bundles that are CommonJS scripts without `import()`, with the code that V8 compiled for them in earlier runs of the program. The
 * code is kept in a folder beside the bundles. Node's own compile cache keeps only what V8 compiles before a module runs, so that each run
 * would compile again every function that it calls: a third of the time of a short command.
 */
import { isAscii } from 'node:buffer';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** Name of the folder beside the bundles in which compiled code is kept. */
export const KEPT_FOLDER = '.compiled';

interface Kept {
  /** Kinds of runs whose functions are in the code. */
  readonly kinds: readonly string[];
  readonly code: Buffer;
}

/** First line of a file with kept code: checksums of the bundle and of the code, which follows. */
interface Head {
  readonly bundle: number;
  readonly code: number;
  readonly kinds: readonly string[];
}

/** A bundle whose code will be kept. */
interface Learner {
  readonly file: string;
  readonly bundle: number;
  readonly script: Script;
  readonly kinds: readonly string[];
}

/** A bundle as a function of what it sees of Node, as in Node's own loader. */
type Body = (exports: object, require: (name: string) => unknown, module: object, file: string) => void;
const OPENING = '(function(exports,require,module,__filename){';
const CLOSING = '\n})';

/** Exit codes of runs that failed or were interrupted. */
const FAILED = new Set([1, 2, 130]);
/** Most kinds of runs whose code is kept. */
const MOST_KINDS = 200;
/** Milliseconds after which V8 may have dropped functions that were not called for a while: the code of longer runs is not kept. */
const LONGEST_RUN = 5000;

const loaded = new Map<string, { exports: object }>();
const learners: Learner[] = [];

/** Returns the exports of the bundle at this path, which is loaded first if it was not. */
export function loadScript(file: string): unknown {
  const known = loaded.get(file);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(file, module);
  const folder = path.dirname(file);
  let others: NodeJS.Require | undefined;
  const require = (name: string): unknown =>
    name.startsWith('./') ? loadScript(path.join(folder, name)) : ((others ??= createRequire(file))(name) as unknown);
  (compile(file).runInThisContext() as Body)(module.exports, require, module, file);
  return module.exports;
}

/**
 * Returns the arguments of the process without values. Runs of one kind call about the same functions: those of a command with the same
 * options, and with files of the same types.
 */
function kindOfRun(): string {
  const [command = '', ...words] = process.argv.slice(2);
  const kinds = words.map((word) => (word.startsWith('--') ? word.replace(/=.*/s, '') : path.extname(word)));
  return [command, ...new Set(kinds.filter((kind) => kind !== '').sort())].join(' ');
}

function compile(file: string): Script {
  const bytes = fs.readFileSync(file);
  const bundle = crc32(bytes);
  const kept = readKept(file, bundle);
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  const script = new Script(`${OPENING}${text}${CLOSING}`, {
    filename: file,
    columnOffset: -OPENING.length,
    ...(kept && { cachedData: kept.code }),
  });
  // V8 refuses code that another version of it compiled, or the same one with other flags.
  const kinds = script.cachedDataRejected === false && kept ? kept.kinds : [];
  if (!kinds.includes(kindOfRun()) && kinds.length < MOST_KINDS) {
    if (learners.length === 0) keepAtEnd();
    learners.push({ file, bundle, script, kinds });
  }
  return script;
}

function keptFile(file: string): string {
  const { versions, arch } = process;
  return path.join(path.dirname(file), KEPT_FOLDER, `${path.basename(file)}-${versions.v8}-${arch}`);
}

/** Returns undefined if no code is kept, if its file is damaged, or if it is that of an earlier build. */
function readKept(file: string, bundle: number): Kept | undefined {
  try {
    const bytes = fs.readFileSync(keptFile(file));
    const end = bytes.indexOf('\n');
    const head = JSON.parse(bytes.toString('utf8', 0, Math.max(end, 0))) as Head;
    const code = bytes.subarray(end + 1);
    return head.bundle === bundle && head.code === crc32(code) ? { kinds: head.kinds, code } : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the code of this run when its process ends, or its thread, unless it failed: it then called few functions. */
function keepAtEnd(): void {
  const probe = new Script('0').createCachedData();
  process.on('exit', (code) => {
    if (FAILED.has(code)) return;
    const hasSameFlags = new Script('0', { cachedData: probe }).cachedDataRejected === false;
    if (hasSameFlags && performance.now() < LONGEST_RUN) learners.forEach(keep);
  });
}

/** Other processes may keep theirs at the same time: that of the last one stays. Where the folder cannot be written, nothing is kept. */
function keep({ file, bundle, script, kinds }: Learner): void {
  const code = script.createCachedData();
  const head: Head = { bundle, code: crc32(code), kinds: [...kinds, kindOfRun()] };
  const kept = keptFile(file);
  const unfinished = `${kept}.${String(process.pid)}-${Math.random().toString(36).slice(2)}`;
  try {
    fs.mkdirSync(path.dirname(kept), { recursive: true, mode: 0o700 });
    fs.writeFileSync(unfinished, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), code]), { mode: 0o600 });
    fs.renameSync(unfinished, kept);
  } catch {
    discard(unfinished);
  }
}

function discard(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // Its folder cannot be used at all.
  }
}
