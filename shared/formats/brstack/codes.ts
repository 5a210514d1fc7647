/** Codes of the `native` column for perf branch stacks: the kernel's type of a branch, perf's own record, or the kind of a kept line. */
import { addToHash } from './token.ts';

export const TEXT = 0;
export const COMMENT = 1;
export const FRAME = 2;
export const SAMPLE = 3;
/** A branch whose type is missing or not in this list. */
export const BRANCH = 4;

/** Types as perf prints them (tools/perf/util/branch.c). Append types that kernels add. */
const NAMES: readonly string[] = [
  'TEXT',
  'COMMENT',
  'FRAME',
  'SAMPLE',
  'BRANCH',
  'COND',
  'UNCOND',
  'IND',
  'CALL',
  'IND_CALL',
  'RET',
  'SYSCALL',
  'SYSRET',
  'COND_CALL',
  'COND_RET',
  'ERET',
  'IRQ',
  'SERROR',
  'NO_TX',
  'FAULT_ALGN',
  'FAULT_DATA',
  'FAULT_INST',
];

const BY_HASH = new Map<number, number>();
for (let code = BRANCH + 1; code < NAMES.length; code++) BY_HASH.set(hashOf(NAMES[code]!), code);

/** First code of the lines that perf prints for its own records. Types of branches have lower codes. */
export const FIRST_RECORD = 64;

/** Prefix of the word that names one of perf's own records. */
export const RECORD_PREFIX = 'PERF_RECORD_';

/** Records without their prefix (tools/perf/util/event.c); the first stands for those that are missing here. */
const RECORDS: readonly string[] = [
  'UNKNOWN',
  'MMAP',
  'MMAP2',
  'LOST',
  'COMM',
  'EXIT',
  'THROTTLE',
  'UNTHROTTLE',
  'FORK',
  'READ',
  'AUX',
  'ITRACE_START',
  'LOST_SAMPLES',
  'SWITCH',
  'SWITCH_CPU_WIDE',
  'NAMESPACES',
  'KSYMBOL',
  'BPF_EVENT',
  'CGROUP',
  'TEXT_POKE',
  'AUX_OUTPUT_HW_ID',
];

export function nativeName(code: number): string {
  if (code >= FIRST_RECORD) return `${RECORD_PREFIX}${RECORDS[code - FIRST_RECORD] ?? 'UNKNOWN'}`;
  return NAMES[code] ?? 'BRANCH';
}

/** Returns the code of one of perf's own records by its name without the prefix. */
export function recordCode(name: string): number {
  return FIRST_RECORD + Math.max(0, RECORDS.indexOf(name));
}

/** Returns the code of a type by the hash of its name. If hashes collide, `describe` still prints the right type. */
export function typeCode(hash: number): number {
  return hash === 0 ? BRANCH : (BY_HASH.get(hash) ?? BRANCH);
}

/** Hash of the speculation of a branch that was predicted and never executed (branch_spec_desc of tools/perf/util/branch.c). */
export const WRONG_PATH_HASH = hashOf('SPEC_WRONG_PATH');

function hashOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = addToHash(hash, name.charCodeAt(at));
  return hash;
}
