/** What each command of the list does; `createCommands` refuses a list and a table that do not match. */
import { COMMANDS } from '../../shared/commands.ts';
import { assert } from '../../shared/base/result.ts';
import { createNoteActions } from '../features/notes/commands.ts';
import type { Layout, PaneId } from '../workbench/layout.svelte.ts';
import { LEAST_RECORDS } from '../trace/view.svelte.ts';
import type { Direction } from '../trace/search/search.svelte.ts';
import type { Shell } from '../workbench/shell.svelte.ts';
import type { ThemeStore } from '../workbench/theme.svelte.ts';
import type { Trace } from '../trace/trace.svelte.ts';
import type { Workbench } from '../workbench/workbench.svelte.ts';
import type { AccessWay } from '../../shared/requests/requests.ts';
import type { StepKind } from '../../shared/requests/flow.ts';

export interface Commands {
  /** Runs a command, or says in a sentence why it can do nothing now. */
  readonly run: (id: string) => void;
  readonly isEnabled: (id: string) => boolean;
}

interface Context {
  readonly workbench: Workbench;
  readonly layout: Layout;
  readonly shell: Shell;
  readonly theme: ThemeStore;
}

interface Action {
  readonly run: () => void;
  /** Why there is nothing to do for it now; null where there is. Always by default. */
  readonly refusal?: () => string | null;
}

const ZOOM = 2;
/** Panes with a chart that can be taken away: the one that somebody turned to last, else the first of them that is open. */
const CHARTS: readonly PaneId[] = ['heatmap', 'overview', 'graph', 'tree'];

export function createCommands(context: Context): Commands {
  const { workbench, layout, shell, theme } = context;
  const noting = createNoteActions(layout, shell, workbench.say);
  const table: Readonly<Record<string, Action>> = {
    open: { run: () => (workbench.bridge ? void workbench.browse() : (shell.dialog = 'open')) },
    format: onTrace((trace) => void workbench.reconsider(trace)),
    images: onTrace(() => (shell.dialog = 'images')),
    report: pane('report'),
    'report-export': onTrace(() => (shell.dialog = 'report')),
    close: onTrace((trace) => void workbench.close(trace)),
    rebuild: onTrace((trace) => void trace.build(true)),
    'export-figure': onTrace(() => {
      const of = CHARTS.find((chart) => chart === shell.pane) ?? CHARTS.find(layout.isOpen) ?? 'heatmap';
      layout.open(of);
      shell.exportFigure(of);
    }),
    cancel: onTrace(
      (trace) => {
        if (trace.search.running) trace.search.cancel();
        else if (trace.search.results.running) trace.search.results.stop();
        else if (trace.who.running) trace.who.cancel();
        else if (trace.flow.running) trace.flow.cancel();
        else if (trace.calls.isWalking) trace.calls.cancel();
        else trace.pause();
      },
      (trace) =>
        trace.search.running !== null ||
        trace.search.results.running ||
        trace.who.running !== null ||
        trace.flow.running !== null ||
        trace.calls.isWalking ||
        trace.indexing === 'building'
          ? null
          : 'Nothing is under way that could be stopped.',
    ),
    step: onTrace((trace) => step(trace, 1), atEnd(1)),
    'step-back': onTrace((trace) => step(trace, -1), atEnd(-1)),
    'page-down': onTrace((trace) => step(trace, trace.view.page), atEnd(1)),
    'page-up': onTrace((trace) => step(trace, -trace.view.page), atEnd(-1)),
    first: onTrace((trace) => trace.cursor.jump(0), atEnd(-1)),
    last: onTrace((trace) => trace.cursor.jump(trace.last), atEnd(1)),
    go: onTrace(() => (shell.dialog = 'go')),
    'next-access': who('next-access'),
    'previous-access': who('last-access'),
    'next-write': who('next-write'),
    'previous-write': who('last-write'),
    'next-read': who('next-read'),
    'previous-read': who('last-read'),
    'step-over': walk('over'),
    'step-back-over': walk('back over'),
    'step-out': walk('out'),
    'step-back-out': walk('back out'),
    'next-call': follow('next'),
    'previous-call': follow('previous'),
    search: onTrace(() => {
      layout.open('search');
      shell.focus('search');
    }),
    'search-next': repeat('next'),
    'search-previous': repeat('previous'),
    'graph-here': onTrace((trace) => {
      void trace.calls.centreHere();
      layout.open('graph');
      shell.focus('graph');
    }),
    back: onTrace(
      (trace) => trace.cursor.back(),
      (trace) => (trace.cursor.canGoBack ? null : 'There is no earlier place to go back to.'),
    ),
    forward: onTrace(
      (trace) => trace.cursor.forward(),
      (trace) => (trace.cursor.canGoForward ? null : 'There is no later place to go forward to.'),
    ),
    bookmark: onTrace(({ notes }) => void notes.bookmark()),
    note: onTrace((trace) => void noting.write(trace)),
    'next-note': onTrace(({ notes }) => notes.walk(1)),
    'previous-note': onTrace(({ notes }) => notes.walk(-1)),
    undo: onTrace(({ notes }) => void notes.undo()),
    redo: onTrace(({ notes }) => void notes.redo()),
    'save-view': onTrace(noting.saveView),
    'import-notes': onTrace((trace) => void noting.import(trace)),
    'export-notes': onTrace((trace) => void noting.export(trace)),
    'zoom-in': onTrace(
      (trace) => zoom(trace, ZOOM),
      ({ shown }) =>
        shown.to - shown.from > LEAST_RECORDS ? null : 'The charts can show no fewer records than these.',
    ),
    'zoom-out': onTrace(
      (trace) => zoom(trace, 1 / ZOOM),
      ({ cursor }) => (cursor.range ? null : 'The charts show all records.'),
    ),
    'zoom-range': onTrace(
      (trace) => trace.view.showSelection(),
      (trace) =>
        trace.view.selection
          ? null
          : 'Select a part of the heatmap first: drag across it with Shift held, or press Space in it.',
    ),
    'zoom-all': onTrace(
      (trace) => trace.view.showAll(),
      (trace) => (trace.view.showsAll ? 'The charts show all records.' : null),
    ),
    fold: onTrace(({ view }) => {
      view.folded = !view.folded;
      workbench.say(
        view.folded
          ? 'The heatmap leaves out addresses that nobody used.'
          : 'The heatmap shows addresses true to scale.',
      );
    }),
    'fold-call': onTrace((trace) => {
      const { n } = trace.cursor;
      if (trace.folds.headedBy(n)) trace.folds.unfold(n);
      else void trace.folds.foldAround(n);
    }),
    'unfold-calls': onTrace(
      (trace) => trace.folds.unfoldAll(),
      (trace) => (trace.folds.list.length > 0 ? null : 'No call is folded.'),
    ),
    theme: { run: theme.toggle },
    layout: { run: layout.reset },
    'pane-1': pane('overview'),
    'pane-2': pane('heatmap'),
    'pane-3': pane('instructions'),
    'pane-4': pane('bytes'),
    'pane-5': pane('diagnostics'),
    'pane-6': pane('memory'),
    'pane-7': pane('registers'),
    'pane-8': pane('search'),
    'pane-9': pane('stack'),
    'pane-branches': pane('branches'),
    'pane-graph': pane('graph'),
    'pane-tree': pane('tree'),
    'pane-notes': pane('notes'),
    palette: { run: () => (shell.dialog = 'palette') },
    help: { run: () => (shell.dialog = 'help') },
  };
  for (const command of COMMANDS) assert(table[command.id], `no action for the command ${command.id}`);

  function onTrace(run: (trace: Trace) => void, refusal: (trace: Trace) => string | null = () => null): Action {
    return {
      run: () => {
        if (workbench.active) run(workbench.active);
      },
      refusal: () => (workbench.active ? refusal(workbench.active) : 'Open a trace first.'),
    };
  }

  function pane(id: PaneId): Action {
    return onTrace(() => {
      layout.open(id);
      shell.focus(id);
    });
  }

  /** Asks about the cursor's address or register; of a register only who set it is ever known. */
  function who(way: AccessWay): Action {
    return onTrace((trace) => {
      stopLooking(trace);
      void trace.who.ask(way);
    });
  }

  function walk(step: StepKind): Action {
    return onTrace((trace) => {
      stopLooking(trace);
      void trace.flow.step(step);
    });
  }

  function follow(direction: Direction): Action {
    return onTrace((trace) => {
      stopLooking(trace);
      void trace.flow.follow(direction);
    });
  }

  function repeat(direction: Direction): Action {
    return onTrace(
      (trace) => {
        stopLooking(trace);
        void trace.search.step(direction);
      },
      ({ search }) => (search.isEmpty ? 'Say first what to search for: Ctrl+F.' : (search.problem?.why ?? null)),
    );
  }

  return {
    run(id) {
      const action = table[id];
      assert(action, `there is no command ${id}`);
      const refusal = action.refusal?.() ?? null;
      if (refusal === null) action.run();
      else workbench.say(refusal);
    },
    isEnabled: (id) => (table[id]?.refusal?.() ?? null) === null,
  };
}

/** Where a list of records ends there is no next one. */
function atEnd(direction: 1 | -1): (trace: Trace) => string | null {
  return ({ cursor, last, reach }) => {
    if (direction < 0) return cursor.n > 0 ? null : 'This is the first record.';
    if (cursor.n < last) return null;
    return reach.complete ? 'This is the last record.' : 'This is the last record that is known so far.';
  };
}

/** One question at a time moves the cursor: the newest. */
function stopLooking({ search, who, flow }: Trace): void {
  search.cancel();
  who.cancel();
  flow.cancel();
}

function step(trace: Trace, by: number): void {
  trace.cursor.step(trace.folds.walk(trace.cursor.n, by));
}

/** Zooms around the cursor where it is in sight, else around the middle. */
function zoom(trace: Trace, factor: number): void {
  const { from, to } = trace.shown;
  const x = (trace.cursor.n - from) / Math.max(1, to - from);
  trace.view.zoom({ time: factor, address: 1 }, { x: x >= 0 && x <= 1 ? x : 0.5, y: 0.5 });
}
