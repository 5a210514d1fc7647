/** Commands that arrange the panes. Those about one pane apply to the pane used last. */
import { onTrace, type Command } from '../workbench/command.ts';
import { CONTENTS, type Content } from '../workbench/docking/templates.ts';
import type { Side } from '../workbench/docking/tree.ts';
import type { App } from '../workbench/app.ts';
import type { Pane } from '../workbench/pane.ts';

/** Size of the window of a pane that is behind another one. */
const NO_BOX = { width: 700, height: 500 };

export function layoutCommands(panes: readonly Pane[]): readonly Command[] {
  /** Returns the pane used last if it is on the page, or else the first one that is. */
  function current({ shell, layout }: App): Pane | undefined {
    const movable = panes.filter(({ id, home }) => home !== 'whole' && layout.isShown(id));
    return movable.find(({ id }) => id === shell.pane) ?? movable[0];
  }

  function onPane(
    facts: Pick<Command, 'id' | 'title' | 'key' | 'words'>,
    run: (pane: Pane, app: App) => void,
  ): Command {
    return {
      ...facts,
      menu: 'View',
      run(app) {
        const pane = current(app);
        if (pane) run(pane, app);
      },
      refusal(app) {
        if (!app.workbench.active) return 'Open a trace first.';
        return current(app) ? null : 'Open a pane first.';
      },
    };
  }

  function move(side: Side, word: string, key: string): Command {
    return onPane(
      { id: `pane-${word}`, title: `Move pane ${word}`, key, words: 'dock split tab' },
      ({ id, title }, app) => {
        if (app.layout.step(id, side)) app.show(id);
        else app.workbench.say(`${title} is already at that side of the page.`);
      },
    );
  }

  return [
    onPane(
      { id: 'pane-maximise', title: 'Maximise pane', key: 'Ctrl+Shift+M', words: 'restore zoom full large cover' },
      ({ id }, { layout }) => layout.toggleMaximised(id),
    ),
    move('left', 'left', 'Alt+Shift+Left'),
    move('right', 'right', 'Alt+Shift+Right'),
    move('above', 'up', 'Alt+Shift+Up'),
    move('below', 'down', 'Alt+Shift+Down'),
    onPane(
      { id: 'pane-pop-out', title: 'Pop out pane', key: 'Ctrl+Shift+X', words: 'window detach screen monitor undock' },
      ({ id }, app) => popOut(app, id),
    ),
    onPane({ id: 'pane-close', title: 'Close pane', words: 'hide' }, ({ id }, { layout }) => layout.close(id)),
    onTrace(
      { id: 'save-layout', title: 'Save layout as…', menu: 'View', words: 'panes windows arrange name' },
      (_, { shell }) => (shell.dialog = 'layout'),
    ),
    onTrace(
      { id: 'layout', title: 'Reset layout', menu: 'View', words: 'panes windows arrange default' },
      (_, { layout }) => layout.reset(),
    ),
    ...Object.entries(CONTENTS).map(([content, name]) =>
      onTrace(
        { id: `layout-${content}`, title: `Layout: ${name}`, menu: 'View', words: 'panes windows arrange preset' },
        (_, { layout }) => layout.use(content as Content),
      ),
    ),
  ];
}

/** Opens a window for a pane, or says why the browser refuses it. */
export function popOut({ popOuts, workbench }: App, pane: string): void {
  const { active } = workbench;
  const box = document.querySelector(`[data-pane="${pane}"]`)?.getBoundingClientRect() ?? NO_BOX;
  const refusal = active && popOuts.open(active, pane, box);
  if (refusal) workbench.say(refusal);
}

/** Commands that use and delete the layouts which a person saved. */
export function namedLayoutCommands({ shell }: App): readonly Command[] {
  return Object.entries(shell.layouts).flatMap(([name, saved]) => [
    onTrace(
      { id: `layout-named-${name}`, title: `Layout: ${name}`, menu: 'View', words: 'panes windows arrange saved' },
      (_, { layout }) => layout.restore(JSON.parse(saved)),
    ),
    onTrace({ id: `layout-delete-${name}`, title: `Delete layout ${name}`, menu: 'View', words: 'remove' }, (trace) => {
      shell.setLayout(name);
      trace.say(`The layout ${name} is deleted.`);
    }),
  ]);
}
