/** The lack of file handles, in every message about a file. */
import { expect, test } from 'vitest';
import { problemOf } from '../../electron/engine/notebook/problems.ts';
import { handlesProblem } from '../../electron/engine/platform/handles.ts';

const error = (code: string): Error => Object.assign(new Error('no'), { code });

test.each([
  ['EMFILE', 'this program has no file handle left; close other traces, or raise the limit (ulimit -n)'],
  ['ENFILE', 'the system has no file handle left; end programs that keep many files open'],
])('%s is named', (code, sentence) => {
  expect(handlesProblem(error(code))).toBe(sentence);
  expect(problemOf('/t.notebook', error(code))).toMatchObject({ error: { message: `/t.notebook: ${sentence}` } });
});

test('other problems are not', () => {
  expect(['ENOENT', 'SQLITE_CANTOPEN'].map((code) => handlesProblem(error(code)))).toEqual([undefined, undefined]);
});
