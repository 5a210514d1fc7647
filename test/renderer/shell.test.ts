/** Wishes for the focus: who has them, and when they are over. */
import { beforeEach, expect, test, vi } from 'vitest';
import { createShell } from '../../renderer/workbench/shell.svelte.ts';

beforeEach(() => {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
});

test('a pane has the wish until the focus is in it', () => {
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

test('a focus that moves elsewhere ends the wish, but not before the pane has heard it: dialogs give the focus back', () => {
  const shell = createShell();
  shell.focus('branches');
  shell.focusMoved('search');
  shell.focusMoved(undefined);
  expect(shell.focusRequest.pane).toBe('branches');
  shell.focusReceived();
  expect(shell.focusRequest.pane).toBe('branches');
  shell.focusMoved(undefined);
  expect(shell.focusRequest.pane).toBe(null);
  // A new wish is not heard yet.
  shell.focus('stack');
  shell.focusMoved('branches');
  expect(shell.focusRequest.pane).toBe('stack');
});
