/** Focus requests: their pane and their end. */
import { expect, test } from 'vitest';
import type { Settings } from '../../renderer/workbench/keeper.svelte.ts';
import { createShell, type Shell } from '../../renderer/workbench/shell.svelte.ts';

const SETTINGS = { kept: {}, keep: () => undefined };

test('a focus request stays until the pane has the focus', () => {
  const shell = createShell(SETTINGS);
  expect(shell.focusRequest.pane).toBe(null);
  shell.focus('stack');
  const first = shell.focusRequest;
  expect([first.pane, shell.pane]).toEqual(['stack', 'stack']);
  shell.focusMoved('stack');
  expect(shell.focusRequest.pane).toBe(null);
  shell.focus('stack');
  expect(shell.focusRequest.pane).toBe('stack');
  expect(shell.focusRequest.at).toBeGreaterThan(first.at);
});

test('moving the focus elsewhere ends the request, but not before the pane has received it, since dialogs return the focus', () => {
  const shell = createShell(SETTINGS);
  shell.focus('branches');
  shell.focusMoved('search');
  shell.focusMoved(undefined);
  expect(shell.focusRequest.pane).toBe('branches');
  shell.focusReceived();
  expect(shell.focusRequest.pane).toBe('branches');
  shell.focusMoved(undefined);
  expect(shell.focusRequest.pane).toBe(null);
  // A new request has not been received yet.
  shell.focus('stack');
  shell.focusMoved('branches');
  expect(shell.focusRequest.pane).toBe('stack');
});

test('changed keys are kept for the next page, and can be given up one by one or together', () => {
  let kept: Settings['kept'] = {};
  const open = (): Shell => createShell({ kept, keep: (changed) => (kept = { ...kept, ...changed }) });
  const shell = open();
  shell.setKey('step', 'q');
  shell.setKey('go', 'Ctrl+G');
  shell.setKey('step', 'y');
  expect(open().keys).toEqual({ go: 'Ctrl+G', step: 'y' });
  shell.setKey('step');
  expect(open().keys).toEqual({ go: 'Ctrl+G' });
  shell.resetKeys();
  expect(open().keys).toEqual({});
});
