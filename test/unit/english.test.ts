// The English check finds the habits that it lists in every kind of text, and leaves plain sentences and code alone.
import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../build/commit-message.mjs';
import { findingsIn } from '../../build/english.ts';

/** Findings in a text as `line found`. */
const found = (path: string, text: string): readonly string[] =>
  findingsIn(path, text).map((finding) => `${String(finding.line)} ${finding.found}`);

describe('the English check', () => {
  test('refuses comments that open with a question word', () => {
    expect(found('a.ts', '/** What a node keeps. */\nconst x = 1;\n// Who reads it.\n')).toEqual(['1 What', '3 Who']);
    expect(found('a.svelte', '<!-- Whether what is shown is whole. -->')).toEqual(['1 Whether what']);
    expect(found('a.c', '/*\n * Of the pages, those that changed.\n */')).toEqual(['2 Of the']);
  });

  test('refuses its phrases in comments, messages, test titles, markup and documents', () => {
    expect(found('a.ts', '// Returns undefined where nothing matches.\n')).toEqual(['1 undefined where']);
    expect(found('a.ts', "fail('x', 'the index is built anew');")).toEqual(['1 anew']);
    expect(found('a.test.ts', "test('tells of nothing', () => {});")).toEqual(['1 tells']);
    expect(found('a.svelte', '<p class="told">The image tells names.</p>')).toEqual(['1 tells']);
    expect(found('a.md', 'One.\n\nThe cursor goes on at `told`.\n')).toEqual(['3 goes on at']);
    expect(found('a.ts', '// Reads blocks from the first one on.\n')).toEqual(['1 from the first one on']);
  });

  test('refuses riddles inside names', () => {
    expect(found('a.ts', 'export function applyHindsight(isTold: boolean): void {}')).toEqual([
      '1 applyHindsight',
      '1 isTold',
    ]);
  });

  test('accepts plain sentences, code in backticks and words that contain a refused one', () => {
    const text = '/** Returns the call site, or undefined if `told` is empty. */\nconst stellar = satellites(untie);\n';
    expect(found('a.ts', text)).toEqual([]);
    expect(found('a.md', '```\nWhat is told\n```\n\nThe index contains blocks.\n')).toEqual([]);
  });
});

describe('the commit-message check', () => {
  test('accepts a short subject in the imperative, with any body', () => {
    expect(problemsOf('Fix index corruption when several processes build one index\n\nIt was locked.')).toEqual([]);
    expect(problemsOf('Process stretches in order')).toEqual([]);
    expect(problemsOf('Embed fonts')).toEqual([]);
  });

  test('refuses long subjects, other moods and chains of clauses', () => {
    expect(problemsOf('a'.repeat(73))).toHaveLength(2);
    for (const subject of ['Fixed the index', 'Fixes the index', 'Fixing the index', 'Fix one; fix two', 'Fix it.'])
      expect(problemsOf(subject)).toHaveLength(1);
  });
});
