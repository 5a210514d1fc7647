/** Focus requests: their pane and their end. */
import { beforeEach, expect, test, vi } from 'vitest';
import { createShell } from '../../renderer/workbench/shell.svelte.ts';

beforeEach(() => {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
});

test('a focus request stays until the pane has the focus', () => {
  const shell = createShell();
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
  const shell = createShell();
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
