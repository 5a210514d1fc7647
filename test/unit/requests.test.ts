// Request definitions: arguments that every request refuses, and texts that pass unescaped.
import { expect, test } from 'vitest';
import { checkArguments, REQUESTS, type RequestName } from '../../shared/requests/requests.ts';
import type { RequestDefinition } from '../../shared/requests/request.ts';
import { createVisibleAnswers } from '../../shared/requests/visible-answers.ts';

const DEFINITIONS = Object.entries<RequestDefinition>(REQUESTS);

test.each(Object.keys(REQUESTS) as RequestName[])('%s refuses lists, primitives and unknown arguments', (name) => {
  for (const value of [undefined, null, 5, 'x', [], [{}]]) {
    expect(checkArguments(name, value)).toMatchObject({
      ok: false,
      error: { code: 'usage', message: `${name}: must be an object.` },
    });
  }
  for (const key of ['__proto__', 'constructor', 'x']) {
    expect(checkArguments(name, JSON.parse(`{"${key}":{}}`) as unknown).ok).toBe(false);
  }
});

test('refuses options with non-text values', () => {
  for (const key of ['__proto__', 'constructor', 'prototype', 'endian']) {
    const value: unknown = JSON.parse(`{"path":"/a","options":{"${key}":5}}`);
    expect(checkArguments('open', value)).toMatchObject({
      error: { message: `open: options.${key} must be a text of at most 1000 characters.` },
    });
  }
});

test('leaves only files and user-written texts unescaped', () => {
  expect(DEFINITIONS.filter(([, { text }]) => text === 'raw').map(([name]) => name)).toEqual([
    'folder',
    'exportPart',
    'exportGroup',
    'notebook',
    'changeNotebook',
    'importNotes',
    'exportNotes',
    'figure',
    'reportPlan',
    'report',
    'kept',
    'bundle',
    'readBundle',
    'bundleText',
    'importBundle',
    'mergeBundles',
    'slice',
  ]);
});

test('accepts names that an earlier answer has shown', () => {
  const shown = createVisibleAnswers();
  const answer = { ok: true, value: { functions: [{ name: 'a\u202eb', path: '/\u202e' }] } } as const;
  shown.answer('calls', answer);
  expect(answer.value.functions).toEqual([{ name: 'a[U+202E]b', path: '/\u202e' }]);
  expect(shown.originals({ trace: 't', text: 'a[U+202E]b' })).toEqual({ trace: 't', text: 'a\u202eb' });
});
