/** All commands of the page: those about the page and the cursor, those of features, and one per pane that opens it. */
import type { AccessWay } from '../../shared/requests/requests.ts';
import type { StepKind } from '../../shared/requests/flow.ts';
import { assert } from '../../shared/base/result.ts';
import { stopLooking, type Trace } from '../trace/trace.svelte.ts';
import { LEAST_RECORDS } from '../trace/view.svelte.ts';
import type { App } from '../workbench/app.ts';
import { isSingleCharacter } from '../workbench/keys.ts';
import { onTrace, type Command } from '../workbench/command.ts';
import { aim, type Facts } from '../workbench/context/facts.ts';
import type { Pane } from '../workbench/pane.ts';
import { layoutCommands, namedLayoutCommands } from './layout-commands.ts';

export interface Commands {
  /** All commands with their current keys, in the order of menus. */
  readonly list: readonly Command[];
  /** All commands with the keys that they have until a person changes them. */
  readonly defaults: readonly Command[];
  /** Runs a command, or says why it cannot run now. */
  readonly run: (id: string, facts?: Facts) => void;
  /** See `App`. */
  readonly command: App['command'];
  readonly keyOf: App['keyOf'];
  readonly isEnabled: (id: string) => boolean;
}

/** @param isPoppedOut leaves out commands about whole traces, which belong to the window of the workbench */
export function createCommands(app: App, all: readonly Pane[], isPoppedOut = false): Commands {
  const panes = all.filter(({ home }) => !isPoppedOut || home !== 'whole');
  const list = [
    ...PAGE_COMMANDS,
    ...layoutCommands(panes),
    ...panes.flatMap(({ commands = [] }) => commands),
    ...panes.toSorted((a, b) => a.key.localeCompare(b.key)).map(openPane),
    ...HELP_COMMANDS,
    exportFigure(panes),
  ].filter(({ id }) => !isPoppedOut || !OF_WORKBENCH.includes(id));
  const byId = new Map(list.map((command) => [command.id, command]));
  assert(byId.size === list.length, 'two commands have the same id');

  function find(id: string): Command {
    const command = byId.get(id) ?? namedLayoutCommands(app).find((named) => named.id === id);
    assert(command, `there is no command ${id}`);
    return command;
  }

  /** Returns a command with the key that a person gave it. */
  function withKey(command: Command): Command {
    const key = app.shell.keys[command.id];
    return key === undefined ? command : { ...command, key };
  }

  return {
    get list() {
      return [...list, ...(isPoppedOut ? [] : namedLayoutCommands(app))].map(withKey);
    },
    defaults: list,
    run(id, facts) {
      const command = find(id);
      const refusal = command.refusal?.(app, facts) ?? null;
      if (refusal === null) command.run(app, facts);
      else app.workbench.say(refusal);
    },
    command: (id, facts) => ({ ...withKey(find(id)), refusal: find(id).refusal?.(app, facts) ?? null }),
    keyOf(id) {
      const own = byId.get(id);
      const keys = (own && withKey(own).key)?.split(' ') ?? [];
      return keys.find((key) => key !== '' && (app.shell.singleKeys || !isSingleCharacter(key)));
    },
    isEnabled: (id) => (find(id).refusal?.(app) ?? null) === null,
  };
}

/** Commands about whole traces and about the windows of panes. */
const OF_WORKBENCH: readonly string[] = [
  'open',
  'format',
  'images',
  'close',
  'merge-bundle',
  'rebuild',
  'pane-pop-out',
  'save-layout',
];

const ZOOM = 2;

const PAGE_COMMANDS: readonly Command[] = [
  {
    id: 'open',
    title: 'Open trace…',
    key: 'Ctrl+O',
    menu: 'File',
    words: 'file load browse',
    run: ({ workbench, shell }) => (workbench.bridge ? void workbench.browse() : (shell.dialog = 'open')),
  },
  onTrace(
    { id: 'format', title: 'Read as another format…', menu: 'File', words: 'dialect decoder detection' },
    (trace, { workbench }) => void workbench.reconsider(trace),
  ),
  onTrace(
    {
      id: 'images',
      title: 'Program images…',
      menu: 'File',
      words: 'elf axf hex srec binary symbols load base debug dwarf source',
    },
    (_, { shell }) => (shell.dialog = 'images'),
  ),
  onTrace(
    { id: 'close', title: 'Close trace', key: 'Ctrl+W', menu: 'File' },
    (trace, { workbench }) => void workbench.close(trace),
  ),
  onTrace(
    { id: 'bundle', title: 'Export evidence bundle…', menu: 'File', words: 'share send colleague zip archive notes' },
    (_, { shell }) => (shell.dialog = 'bundle'),
    ({ opened }) => (opened.slice === undefined ? null : 'This is a slice of a bundle, which holds it already.'),
  ),
  onTrace(
    {
      id: 'merge-bundle',
      title: 'Merge a bundle…',
      menu: 'File',
      words: 'colleague import evidence notes join combine zip archive',
    },
    (trace, { workbench, shell }) => {
      const { bridge } = workbench;
      if (bridge) void bridge.openDialog().then(([path]) => path !== undefined && workbench.merge({ trace, path }));
      else shell.dialog = 'merge-bundle';
    },
    ({ opened }) =>
      opened.slice === undefined
        ? null
        : 'This is a slice of a bundle. Notes are merged into those of the whole trace.',
  ),
  onTrace({ id: 'rebuild', title: 'Rebuild index', menu: 'File', words: 'reindex' }, (trace) => void trace.build(true)),
  onTrace(
    {
      id: 'cancel',
      title: 'Stop the running operation',
      key: 'Shift+Escape',
      menu: 'File',
      words: 'abort interrupt pause',
    },
    (trace) => runningWork(trace)?.(),
    (trace) => (runningWork(trace) ? null : 'Nothing is running.'),
  ),
  onTrace({ id: 'step', title: 'Next record', key: 'Down j', menu: 'Go' }, (trace) => step(trace, 1), atEnd(1)),
  onTrace(
    { id: 'step-back', title: 'Previous record', key: 'Up k', menu: 'Go' },
    (trace) => step(trace, -1),
    atEnd(-1),
  ),
  onTrace(
    { id: 'page-down', title: 'Page down', key: 'PageDown', menu: 'Go' },
    (trace) => step(trace, trace.view.page),
    atEnd(1),
  ),
  onTrace(
    { id: 'page-up', title: 'Page up', key: 'PageUp', menu: 'Go' },
    (trace) => step(trace, -trace.view.page),
    atEnd(-1),
  ),
  onTrace(
    { id: 'first', title: 'First record', key: 'Ctrl+Home', menu: 'Go', leavesText: true },
    (trace) => trace.cursor.jump(0),
    atEnd(-1),
  ),
  onTrace(
    { id: 'last', title: 'Last record', key: 'Ctrl+End', menu: 'Go', leavesText: true },
    (trace) => trace.cursor.jump(trace.last),
    atEnd(1),
  ),
  onTrace(
    { id: 'go', title: 'Go to record, time, address or symbol…', key: 'g', menu: 'Go', words: 'jump seek find' },
    (_, { shell }) => (shell.dialog = 'go'),
  ),
  onTrace(
    { id: 'back', title: 'Back', key: 'Alt+Left', menu: 'Go' },
    (trace) => trace.cursor.back(),
    (trace) => (trace.cursor.canGoBack ? null : 'There is no earlier place to go back to.'),
  ),
  onTrace(
    { id: 'forward', title: 'Forward', key: 'Alt+Right', menu: 'Go' },
    (trace) => trace.cursor.forward(),
    (trace) => (trace.cursor.canGoForward ? null : 'There is no later place to go forward to.'),
  ),
  access('next-access', 'Next access to the address or register', 'x', 'next-access'),
  access('previous-access', 'Previous access to the address or register', 'Shift+X', 'last-access'),
  access('previous-write', 'Who wrote this', 'Shift+W', 'last-write', 'previous last store origin changed set'),
  access('next-write', 'Next write', 'w', 'next-write', 'store changes set overwrite'),
  access('next-read', 'Next read', 'r', 'next-read', 'load use'),
  access('previous-read', 'Previous read', 'Shift+R', 'last-read', 'last load use'),
  walk('step-over', 'Step over the call', 'o', 'over'),
  walk('step-back-over', 'Step back over the call', 'Shift+O', 'back over'),
  walk('step-out', 'Step out of the function', 'u', 'out'),
  walk('step-back-out', 'Step back out to the call', 'Shift+U', 'back out'),
  follow('next-call', 'Next branch, call or iteration of this edge', 'c', 'next'),
  follow('previous-call', 'Previous branch, call or iteration of this edge', 'Shift+C', 'previous'),
  onTrace(
    { id: 'zoom-in', title: 'Zoom in', key: '+ =', menu: 'View' },
    (trace) => zoom(trace, ZOOM),
    ({ shown }) => (shown.to - shown.from > LEAST_RECORDS ? null : 'The charts cannot show fewer records than this.'),
  ),
  onTrace(
    { id: 'zoom-out', title: 'Zoom out', key: '-', menu: 'View' },
    (trace) => zoom(trace, 1 / ZOOM),
    ({ cursor }) => (cursor.range ? null : 'The charts already show all records.'),
  ),
  onTrace(
    { id: 'zoom-range', title: 'Zoom to the selection', key: 'z', menu: 'View', words: 'selection fit' },
    (trace) => trace.view.showSelection(),
    (trace) =>
      trace.view.selection
        ? null
        : 'Select part of the heatmap first: hold Shift and drag across it, or press Space in it.',
  ),
  onTrace(
    { id: 'zoom-all', title: 'Show all records', key: '0', menu: 'View', words: 'whole entire reset fit' },
    (trace) => trace.view.showAll(),
    (trace) => (trace.view.showsAll ? 'The charts already show all records.' : null),
  ),
  {
    id: 'theme',
    title: 'Switch between dark and light',
    key: 'Ctrl+Shift+L',
    menu: 'View',
    words: 'theme colour color mode night appearance',
    run: ({ theme }) => theme.toggle(),
  },
];

const HELP_COMMANDS: readonly Command[] = [
  {
    id: 'palette',
    title: 'Command palette',
    key: 'Ctrl+Shift+P',
    menu: 'Help',
    words: 'search actions',
    run: ({ shell }) => (shell.dialog = 'palette'),
  },
  {
    id: 'help',
    title: 'Keyboard help',
    key: '?',
    menu: 'Help',
    words: 'shortcuts bindings hotkeys',
    run: ({ shell }) => (shell.dialog = 'help'),
  },
  onTrace(
    { id: 'tour', title: 'Tour of the workbench', menu: 'Help', words: 'introduction tutorial first steps' },
    (_, { shell }) => (shell.tour = 0),
  ),
];

function openPane({ id, title, key, menu = 'View', words = '' }: Pane): Command {
  return onTrace({ id: `pane-${id}`, title, key, menu, words: `pane ${words}` }, (_, app) => app.show(id));
}

/** Exports the figure of the pane used last, or of the first open pane that has a figure. */
function exportFigure(panes: readonly Pane[]): Command {
  const charts = panes.filter(({ hasFigure }) => hasFigure === true).map(({ id }) => id);
  return onTrace(
    {
      id: 'export-figure',
      title: 'Export figure…',
      key: 'Shift+E',
      menu: 'File',
      words: 'svg png image picture save chart',
    },
    (_, { layout, shell }) => {
      const chart = charts.find((id) => id === shell.pane) ?? charts.find(layout.isOpen) ?? charts[0];
      if (chart === undefined) return;
      layout.open(chart);
      shell.exportFigure(chart);
    },
  );
}

/** Looks for an access to the cursor's address or register. */
function access(id: string, title: string, key: string, way: AccessWay, words = ''): Command {
  return onTrace({ id, title, key, menu: 'Go', words }, (trace, _app, about) => {
    stopLooking(trace);
    if (about) aim(trace, about);
    void trace.accessSearch.find(way);
  });
}

function walk(id: string, title: string, key: string, kind: StepKind): Command {
  return onTrace({ id, title, key, menu: 'Go' }, (trace) => {
    stopLooking(trace);
    void trace.flow.step(kind);
  });
}

function follow(id: string, title: string, key: string, direction: 'next' | 'previous'): Command {
  return onTrace({ id, title, key, menu: 'Go' }, (trace, _app, about) => {
    stopLooking(trace);
    if (about?.edge) trace.flow.choose(about.edge);
    void trace.flow.follow(direction);
  });
}

/** Returns a function that stops the running operation a person most likely means; undefined if nothing is running. */
function runningWork(trace: Trace): (() => void) | undefined {
  const { search, accessSearch, changeSearch, flow, calls, slice } = trace;
  if (search.running) return search.cancel;
  if (search.results.running) return search.results.stop;
  if (accessSearch.running) return accessSearch.cancel;
  if (changeSearch.running) return changeSearch.cancel;
  if (flow.running) return flow.cancel;
  if (slice.busy) return slice.cancel;
  if (calls.isWalking) return calls.cancel;
  return trace.indexing === 'building' ? trace.pause : undefined;
}

/** Returns the refusal of a command that moves the cursor towards an end of the trace. */
function atEnd(direction: 1 | -1): (trace: Trace) => string | null {
  return ({ cursor, last, reach }) => {
    if (direction < 0) return cursor.n > 0 ? null : 'This is the first record.';
    if (cursor.n < last) return null;
    return reach.complete ? 'This is the last record.' : 'This is the last record indexed so far.';
  };
}

/** Moves the cursor by rows of the list: a folded call is one row, and the steps of a value can be the only rows. */
function step({ cursor, folds, slice }: Trace, by: number): void {
  cursor.step((slice.only ? slice : folds).walk(cursor.n, by));
}

/** Zooms around the cursor if it is visible, else around the middle. */
function zoom(trace: Trace, factor: number): void {
  const { from, to } = trace.shown;
  const x = (trace.cursor.n - from) / Math.max(1, to - from);
  trace.view.zoom({ time: factor, address: 1 }, { x: x >= 0 && x <= 1 ? x : 0.5, y: 0.5 });
}
