/** Returns the call depth of each CPU over some records, as a list of changes. */
import type { Depths, DepthsArguments, FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { createCallTally } from '../../flow/tally/call-tally.ts';
import { knownCalls, statesAt, type KnownCalls } from '../../flow/calls.ts';
import { isUncertain, type Frames } from '../../flow/stack/frames.ts';
import { resolveDeferredTargets } from '../../flow/interrupts/whole-trace-facts.ts';
import { createShadowStack, type ShadowStack, type StackState } from '../../flow/stack/shadow-stack.ts';
import { walkFlow } from '../../flow/events/walk.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { lacksFlowRecords } from './lacks-flow-records.ts';

export async function depths(
  trace: Trace,
  { from, count }: Omit<DepthsArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<Depths>> {
  const reach = reachOf(trace);
  if (from >= reach.records) return beyond(from, reach);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const { functions, messages, backwards } = known.value;
  if (backwards || lacksFlowRecords(trace)) return ok({ start: [], changes: [], unknown: true, reach });
  const states = await statesAt(trace, known.value, from, task);
  if (!states.ok) return states;

  const depthOf = depthsBy(known.value);
  const stacks = new Map<number, ShadowStack>();
  const latest = new Map<number, { readonly depth: number; readonly inferred: boolean }>();
  const changes: Depths['changes'][number][] = [];
  for (const [cpu, state] of states.value) {
    const { frames } = stackOf(cpu, state).state();
    latest.set(cpu, { depth: depthOf(cpu, frames), inferred: isInferred(frames) });
  }
  const start = [...latest].map(([cpu, { depth, inferred }]) => ({ ...named(cpu), depth, ...marked(inferred) }));

  const walked = await walkFlow(trace, { from, to: Math.min(reach.records, from + count) }, task, {
    begin(cpu, { addressLow, addressHigh, record }) {
      const stack = stackOf(cpu);
      stack.begin(addressLow, addressHigh, record);
      if (latest.has(cpu)) return;
      // Calls may be open already that only later returns prove.
      const depth = depthOf(cpu, stack.state().frames);
      latest.set(cpu, { depth, inferred: false });
      changes.push({ n: record, ...named(cpu), depth, enters: false });
    },
    take(raw) {
      const events = resolveDeferredTargets(raw, known.value);
      for (let i = 0; i < events.count; i++) {
        const cpu = events.cpu[i]!;
        const stack = stackOf(cpu);
        const before = latest.get(cpu);
        const level = levelOf(stack.state().frames);
        stack.add(events, i);
        const { frames } = stack.state();
        const depth = depthOf(cpu, frames);
        const enters = levelOf(frames) > level;
        const inferred = isInferred(frames);
        if (depth === before?.depth && inferred === before.inferred) continue;
        latest.set(cpu, { depth, inferred });
        const isDeeper = depth > (before?.depth ?? 0);
        changes.push({ n: events.record[i]!, ...named(cpu), depth, ...marked(inferred), enters: enters && isDeeper });
      }
      return true;
    },
  });
  if (!walked.ok) return walked;
  // The start of one CPU may follow later events of another CPU in the order of reports.
  changes.sort((a, b) => a.n - b.n);
  return ok({ start, changes, reach });

  function stackOf(cpu: number, state?: StackState): ShadowStack {
    const there = stacks.get(cpu);
    if (there !== undefined) return there;
    const made = createShadowStack({ functions, tally: createCallTally(), messages }, state);
    stacks.set(cpu, made);
    return made;
  }
}

function levelOf({ base, count }: Frames): number {
  return base + count;
}

function named(cpu: number): { readonly cpu?: number } {
  return cpu < 0 ? {} : { cpu };
}

/** Returns true if a frame other than the outermost one is uncertain. */
function isInferred({ uncertain, count, columns }: Frames): boolean {
  return uncertain > Number(count > 0 && isUncertain(columns.known[0]!));
}

function marked(inferred: boolean): { readonly inferred?: boolean } {
  return inferred ? { inferred } : {};
}

/** Returns a function that computes depths, counted from the outermost caller that ever becomes known for a stack. */
function depthsBy({ history }: KnownCalls): (cpu: number, frames: Frames) => number {
  const below = new Map<string, number>();
  return (cpu, { base, count, begun }) => {
    const key = `${cpu} ${begun}`;
    let callers = below.get(key);
    if (callers === undefined) {
      callers = history.callersOf(cpu, begun, Number.NEGATIVE_INFINITY).length;
      below.set(key, callers);
    }
    return Math.max(0, base + count - 1 + callers);
  };
}
