/** The calling-context trees of two runs as one: what each call path cost in both. */
import type { CallTree, CallTreeNode } from '../requests/flow.ts';
import { change, isSame, type Costs } from './call-changes.ts';
import { pairFunctions, type AnsweredFunction, type FunctionPairs } from './function-pairs.ts';

export interface NodeChange extends Costs {
  readonly function: string;
  /** The greatest change of the total first. */
  readonly children: readonly NodeChange[];
}

/** @param shift addresses of B minus those of A */
export function treeChanges(a: CallTree, b: CallTree, shift: bigint): readonly NodeChange[] {
  return joined(a.roots, b.roots, pairFunctions(functionsIn(a.roots), functionsIn(b.roots), shift));
}

/** Returns true if a call path and all below it cost the same in both runs. */
export function isSameBelow(node: NodeChange): boolean {
  return isSame(node) && node.children.every(isSameBelow);
}

/** Sum of the changes of self costs at and below a call path, whether more or less. */
export function turnover(node: NodeChange): number {
  return node.children.reduce((sum, child) => sum + turnover(child), Math.abs(change(node, 'self')));
}

function joined(a: readonly CallTreeNode[], b: readonly CallTreeNode[], pairs: FunctionPairs): readonly NodeChange[] {
  const inA = Map.groupBy(a, ({ id }) => pairs.ofA.get(id)!);
  const inB = Map.groupBy(b, ({ id }) => pairs.ofB.get(id)!);
  return [...new Set([...inA.keys(), ...inB.keys()])]
    .map((pair): NodeChange => {
      // Both lists have a function at most once.
      const [its, others] = [inA.get(pair)?.[0], inB.get(pair)?.[0]];
      return {
        function: pairs.pairs[pair]!.name,
        a: its === undefined ? null : costOf(its),
        b: others === undefined ? null : costOf(others),
        children: joined(its?.children ?? [], others?.children ?? [], pairs),
      };
    })
    .sort((one, other) => Math.abs(change(other, 'total')) - Math.abs(change(one, 'total')));
}

function costOf({ calls, self, total }: CallTreeNode): NonNullable<Costs['a']> {
  return { calls, self, total };
}

function* functionsIn(nodes: readonly CallTreeNode[]): Generator<AnsweredFunction> {
  const waiting = [...nodes];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    waiting.push(...node.children);
    const { id, function: name, symbol } = node;
    yield { id, name, ...(symbol !== undefined && { symbol }) };
  }
}
