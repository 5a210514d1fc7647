/** Finds what two traces can be compared by: the paths of one CPU, by elements that both show, and the shift of addresses. */
import { NO_CPU } from '../../../../../shared/records/batch.ts';
import { BEYOND_INDEX } from '../../../../../shared/requests/failures.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import type { PathElements } from '../../../../../shared/requests/diff.ts';
import { fail, ok, type Result } from '../../../../../shared/base/result.ts';
import { pathOf, type Path } from '../../../flow/path/path-chunks.ts';
import { elementsOf, ENDS, recordPathOf, type RecordElements } from '../../../flow/path/record-chunks.ts';
import type { Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { commonShift } from './chunk-symbols.ts';
import type { Side } from './side.ts';

/** Fails with a sentence that names the trace that cannot be compared. */
export async function sidesOf(
  a: Trace,
  b: Trace,
  { cpu, shift: given }: { readonly cpu: number | undefined; readonly shift: string | undefined },
  task: Task<FlowProgress>,
): Promise<Result<readonly [Side, Side]>> {
  const its = elementsIn(a);
  if (!its.ok) return its;
  const others = elementsIn(b);
  if (!others.ok) return others;
  const elements = its.value;
  if (others.value !== elements)
    return fail('usage', `one trace shows ${elements} and the other ${others.value}, so they cannot be compared`);
  const paths =
    elements === 'instructions' ? await executedPaths([a, b], task) : await recordPaths([a, b], elements, task);
  if (!paths.ok) return paths;
  const [one, other] = paths.value.paths;
  const { ends } = paths.value;
  const chosen = [oneCpu(one.cpus, cpu, a), oneCpu(other.cpus, cpu, b)] as const;
  const [chunksA, chunksB] = chosen;
  if (!chunksA.ok) return chunksA;
  if (!chunksB.ok) return chunksB;
  const shift = given === undefined ? commonShift(chunksA.value, chunksB.value) : BigInt(given);
  return ok([
    { trace: a, chunks: chunksA.value, elements, ends, shift: 0n },
    { trace: b, chunks: chunksB.value, elements, ends, shift },
  ]);
}

/** Returns the elements of the path of a trace. Fails if it has none, or is not indexed as a whole. */
export function elementsIn(trace: Trace): Result<PathElements> {
  const { file, ingest } = trace;
  if (!ingest.complete) return fail(BEYOND_INDEX, `${file.path}: the index is not complete yet`);
  const elements = elementsOf(trace);
  return elements === undefined
    ? fail('no-path', `${file.path}: the trace has no records of instructions, branches or accesses to compare`)
    : ok(elements);
}

interface Paths {
  readonly paths: readonly [Path, Path];
  readonly ends: number;
}

async function executedPaths([a, b]: readonly [Trace, Trace], task: Task<FlowProgress>): Promise<Result<Paths>> {
  const one = await pathOf(a, task);
  if (!one.ok) return one;
  const other = await pathOf(b, task);
  return other.ok ? ok({ paths: [one.value, other.value], ends: ENDS }) : other;
}

/** Returns the paths by what both traces show: a capture may show only the sources of branches. */
async function recordPaths(
  [a, b]: readonly [Trace, Trace],
  elements: RecordElements,
  task: Task<FlowProgress>,
): Promise<Result<Paths>> {
  let ends = ENDS;
  for (;;) {
    const one = await recordPathOf(a, elements, ends, task);
    if (!one.ok) return one;
    const other = await recordPathOf(b, elements, ends, task);
    if (!other.ok) return other;
    const shared = one.value.ends & other.value.ends;
    if (elements === 'accesses' || shared === ends) return ok({ paths: [one.value, other.value], ends });
    if (shared === 0)
      return fail('usage', 'one trace shows sources of branches and the other targets, or neither shows any');
    ends = shared;
  }
}

/** Returns what belongs to the CPU that is compared. Fails if the trace has several and none is named. */
export function oneCpu<T extends { readonly cpu: number }>(
  cpus: readonly T[],
  cpu: number | undefined,
  { file }: Trace,
): Result<T> {
  if (cpus.length === 0) return fail('usage', `${file.path}: no instructions or branches are known in this trace`);
  const named = cpus.filter((each) => each.cpu !== NO_CPU);
  const known = named.length > 0 ? named : cpus;
  const found = cpu === undefined ? known : known.filter((each) => each.cpu === cpu);
  if (found.length === 1) return ok(found[0]!);
  const choice = named.map((each) => each.cpu);
  const names = choice.join(', ');
  if (found.length === 0)
    return fail(
      'usage',
      `${file.path}: there is no CPU ${String(cpu)}; the trace has ${names === '' ? 'none' : names}`,
    );
  const failure = fail('usage', `${file.path}: the trace has several CPUs: give one with --cpu: ${names}`);
  return { ok: false, error: { ...failure.error, cpus: choice } };
}
