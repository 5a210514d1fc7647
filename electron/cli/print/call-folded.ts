/** A calling-context tree as folded stacks: `outermost;...;innermost units` for each chain of calls that took something itself. */
import type { CallTreeNode } from '../../../shared/requests/flow.ts';
import { visible } from '../../../shared/base/visible.ts';

export function foldedOf(roots: readonly CallTreeNode[]): string {
  const lines: string[] = [];
  add(roots, '', lines);
  return lines.join('');
}

function add(nodes: readonly CallTreeNode[], callers: string, lines: string[]): void {
  for (const { function: name, self, children } of nodes) {
    const chain = `${callers}${callers === '' ? '' : ';'}${withoutMarks(name)}`;
    if (self > 0) lines.push(`${chain} ${self}\n`);
    add(children, chain, lines);
  }
}

/** A semicolon ends a name for those who read the lines, and a line end the line. */
function withoutMarks(name: string): string {
  return visible(name.replaceAll(';', ':').replaceAll(/\s/g, '_'));
}
