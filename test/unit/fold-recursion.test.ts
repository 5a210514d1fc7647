import { describe, expect, it } from 'vitest';
import type { CallTreeNode } from '../../shared/requests/flow.ts';
import { framesOf, type Frames } from '../../present/flame/call-frames.ts';
import { foldRecursion, hasRecursion } from '../../present/flame/fold-recursion.ts';

/** A frame with its self cost. `left` is the cost of callees that the answer leaves out. */
function frame(name: string, self: number, children: readonly CallTreeNode[] = [], left = 0): CallTreeNode {
  const total = children.reduce((sum, child) => sum + child.total, self + left);
  return {
    ...{ function: name, id: name, calls: 1, self, total, first: self, children, inferred: false },
    ...(left > 0 && { cut: 1 }),
  };
}

/** Each frame on a line: its depth, function, calls, self cost and total. */
function lines({ count, depth, functions, fn, calls, self, total }: Frames): readonly string[] {
  return Array.from(
    { length: count },
    (_, at) => `${'  '.repeat(depth[at]!)}${functions[fn[at]!]!.name} ${calls[at]} ${self[at]} ${total[at]}`,
  );
}

describe('hasRecursion', () => {
  it('finds a function below itself, directly or through others', () => {
    const through = frame('even', 1, [frame('odd', 2, [frame('even', 4)])]);
    expect(hasRecursion(framesOf([frame('main', 1, [frame('fib', 1, [frame('fib', 1)])])]))).toBe(true);
    expect(hasRecursion(framesOf([through]))).toBe(true);
  });

  it('finds none if a function is only called again beside itself', () => {
    expect(
      hasRecursion(framesOf([frame('a', 1, [frame('c', 9), frame('b', 2, [frame('c', 1)])]), frame('c', 3)])),
    ).toBe(false);
  });
});

describe('foldRecursion', () => {
  it('joins frames of a function that calls itself', () => {
    const fib = frame('fib', 1, [frame('fib', 2, [frame('fib', 4)]), frame('add', 8)]);
    expect(lines(foldRecursion(framesOf([frame('main', 16, [fib])])))).toEqual([
      'main 1 16 31',
      '  fib 3 7 15',
      '    add 1 8 8',
    ]);
  });

  it('joins frames of functions that call each other, and their callees', () => {
    const inner = frame('even', 4, [frame('odd', 8), frame('leaf', 16)]);
    const tree = frame('even', 1, [frame('odd', 2, [inner]), frame('leaf', 32)]);
    expect(lines(foldRecursion(framesOf([tree])))).toEqual(['even 2 5 63', '  leaf 2 48 48', '  odd 2 10 10']);
  });

  it('keeps the cost of callees that are left out', () => {
    const tree = frame('f', 1, [frame('f', 2, [], 100)]);
    const folded = foldRecursion(framesOf([tree]));
    expect(lines(folded)).toEqual(['f 2 3 103']);
    expect([...folded.cut]).toEqual([1]);
  });

  it('changes nothing without recursion', () => {
    const tree = [frame('a', 1, [frame('c', 9), frame('b', 2)]), frame('c', 3)];
    expect(lines(foldRecursion(framesOf(tree)))).toEqual(lines(framesOf(tree)));
  });
});
