// Suggestions for mistyped words.
import { expect, test } from 'vitest';
import { nearest } from '../../electron/cli/nearest.ts';

const COMMANDS = ['formats', 'info', 'index', 'pages', 'records', 'find', 'registers', 'memory', 'notes list', 'heat'];

test.each([
  ['inof', 'info'],
  ['indx', 'index'],
  ['page', 'pages'],
  ['reg', 'registers'],
  ['heaat', 'heat'],
  ['memroy', 'memory'],
  ['hte', undefined],
  ['frobnicate', undefined],
  ['', undefined],
])('suggests a word for %s', (typed, meant) => {
  expect(nearest(typed, COMMANDS)).toBe(meant);
});
