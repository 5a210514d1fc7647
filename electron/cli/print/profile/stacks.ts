/** The call paths of a calling-context tree, for profilers that read stacks. */
import type { CallTreeNode, FunctionId } from '../../../../shared/requests/flow.ts';

/** A call path with what its innermost function cost and how often it was called there. */
export interface Stack {
  /** Innermost last. */
  readonly path: readonly FunctionId[];
  readonly self: number;
  readonly calls: number;
}

/** Yields every call path that costs something or was called. */
export function* stacksOf(roots: readonly CallTreeNode[]): Generator<Stack, void> {
  const waiting = roots.map((node) => ({ node, above: [] as readonly FunctionId[] })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, above } = next;
    const path = [...above, node.id];
    if (node.self > 0 || node.calls > 0) yield { path, self: node.self, calls: node.calls };
    for (const child of node.children.toReversed()) waiting.push({ node: child, above: path });
  }
}

/** A function of a profile. */
export interface Frame {
  readonly id: FunctionId;
  readonly name: string;
  /** Raw name of the symbol, if it differs. */
  readonly symbol?: string;
  /** Source line at which it begins, if an image has it. */
  readonly file?: string;
  readonly line?: number;
}

/** Returns each function of the tree once, in the order of `stacksOf`. */
export function framesOf(
  roots: readonly CallTreeNode[],
  placeOf: (id: FunctionId) => Pick<Frame, 'file' | 'line'>,
): ReadonlyMap<FunctionId, Frame> {
  const frames = new Map<FunctionId, Frame>();
  const waiting = roots.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const { id, function: name, symbol } = node;
    if (!frames.has(id)) frames.set(id, { id, name, ...(symbol !== undefined && { symbol }), ...placeOf(id) });
    waiting.push(...node.children.toReversed());
  }
  return frames;
}

/** Names of units of time in other profilers; undefined for counts, and for ticks whose length is not known. */
export function timeUnit(unit: string): string | undefined {
  return { ns: 'nanoseconds', us: 'microseconds', µs: 'microseconds', ms: 'milliseconds', s: 'seconds' }[unit];
}
