/** The calling-context tree as folded stacks: `outermost;...;innermost cost` for each call path with a cost of its own. */
import type { CallTreeNode } from '../../../shared/requests/flow.ts';
import { visible } from '../../../shared/base/visible.ts';

export function foldedOf(roots: readonly CallTreeNode[]): string {
  const lines: string[] = [];
  add(roots, '', lines);
  return lines.join('');
}

function add(nodes: readonly CallTreeNode[], callers: string, lines: string[]): void {
  for (const { function: name, self, children } of nodes) {
    const chain = `${callers}${callers === '' ? '' : ';'}${withoutSeparators(name)}`;
    if (self > 0) lines.push(`${chain} ${self}\n`);
    add(children, chain, lines);
  }
}

/** Semicolons separate names and blanks end the stack, so neither may be part of a name. */
function withoutSeparators(name: string): string {
  return visible(name.replaceAll(';', ':').replaceAll(/\s/g, '_'));
}
