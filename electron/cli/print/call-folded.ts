/** The calling-context tree as folded stacks: `outermost;...;innermost cost` for each call path with a cost of its own. */
import type { NodeChange } from '../../../shared/against/tree-changes.ts';
import type { CallTreeNode, FunctionId } from '../../../shared/requests/flow.ts';
import { visible } from '../../../shared/base/visible.ts';

export function foldedOf(roots: readonly CallTreeNode[]): string {
  const lines: string[] = [];
  add(roots, '', frameNames(roots), lines);
  return lines.join('');
}

/** Folded stacks of two runs: `outermost;...;innermost cost-in-A cost-in-B`, as tools for differential flame graphs read them. */
export function changesFolded(roots: readonly NodeChange[]): string {
  const lines: string[] = [];
  const addAll = (nodes: readonly NodeChange[], callers: string): void => {
    for (const { function: name, a, b, children } of nodes) {
      const chain = `${callers}${callers === '' ? '' : ';'}${withoutSeparators(name)}`;
      const [its, others] = [a?.self ?? 0, b?.self ?? 0];
      if (its > 0 || others > 0) lines.push(`${chain} ${its} ${others}\n`);
      addAll(children, chain);
    }
  };
  addAll(roots, '');
  return lines.join('');
}

function add(
  nodes: readonly CallTreeNode[],
  callers: string,
  names: ReadonlyMap<FunctionId, string>,
  lines: string[],
): void {
  for (const { id, function: name, self, children } of nodes) {
    const chain = `${callers}${callers === '' ? '' : ';'}${names.get(id) ?? name}`;
    if (self > 0) lines.push(`${chain} ${self}\n`);
    add(children, chain, names, lines);
  }
}

/** Returns the name of each function in stacks. Functions that share a name, such as two constructors, get their address appended. */
function frameNames(roots: readonly CallTreeNode[]): ReadonlyMap<FunctionId, string> {
  const names = new Map<FunctionId, string>();
  const ids = new Map<string, FunctionId>();
  const shared = new Set<string>();
  const waiting = [...roots];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const child of node.children) waiting.push(child);
    if (names.has(node.id)) continue;
    const name = withoutSeparators(node.function);
    names.set(node.id, name);
    if (ids.has(name)) shared.add(name);
    ids.set(name, node.id);
  }
  for (const [id, name] of names) if (shared.has(name)) names.set(id, `${name}_[${id}]`);
  return names;
}

/** Semicolons separate names and blanks end the stack, so neither may be part of a name. */
function withoutSeparators(name: string): string {
  return visible(name.replaceAll(';', ':').replaceAll(/\s/g, '_'));
}
