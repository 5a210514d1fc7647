/** What the `native` column holds for perf branch stacks: the kernel's type of the branch, or what kind of line was kept. */
import { mixed } from './token.ts';

export const TEXT = 0;
export const COMMENT = 1;
export const FRAME = 2;
export const SAMPLE = 3;
/** A branch of a type that is not given or not in this list. */
export const BRANCH = 4;

/** Types as perf prints them (tools/perf/util/branch.c), appended as kernels add them. */
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

export function nativeName(code: number): string {
  return NAMES[code] ?? 'BRANCH';
}

/** The code of a type by the hash of its name; what only looks alike is told apart by `describe`, which prints the type. */
export function typeCode(hash: number): number {
  return hash === 0 ? BRANCH : (BY_HASH.get(hash) ?? BRANCH);
}

/** Of the branch that a processor foretold and never executed (branch_spec_desc of tools/perf/util/branch.c). */
export const WRONG_PATH_HASH = hashOf('SPEC_WRONG_PATH');

function hashOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = mixed(hash, name.charCodeAt(at));
  return hash;
}
