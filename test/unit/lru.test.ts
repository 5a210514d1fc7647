import { expect, test } from 'vitest';
import { createLru } from '../../shared/base/lru.ts';

test('removes the least recently used entry first', () => {
  const cache = createLru<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
});

test('removes entries until the total cost is within the limit, even the only entry', () => {
  const cache = createLru<string, string>(10, (text) => text.length);
  for (const text of ['aaaa', 'bbb', 'ccc']) cache.set(text[0]!, text);
  cache.set('b', 'b');
  cache.set('d', 'dd');
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['aaaa', 'b', 'ccc', 'dd']);
  cache.set('e', 'eeeee');
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key))).toEqual([undefined, undefined, 'ccc', 'dd', 'eeeee']);
  cache.set('f', 'f'.repeat(11));
  expect(['c', 'd', 'e', 'f'].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined, undefined]);
  cache.set('g', 'gggggggggg');
  expect(cache.get('g')).toBe('gggggggggg');
});

test('has its whole capacity again after clear', () => {
  const cache = createLru<string, string>(3, (text) => text.length);
  cache.set('a', 'aaa');
  cache.clear();
  expect(cache.get('a')).toBeUndefined();
  cache.set('b', 'bbb');
  expect(cache.get('b')).toBe('bbb');
});
