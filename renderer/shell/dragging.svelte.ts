/** Dragging a pane by its tab: where it would go, while the pointer moves, and the drop. Outside the window it pops out. Escape cancels. */
import type { Layout } from '../workbench/layout.svelte.ts';
import type { Box } from '../workbench/docking/boxes.ts';
import { dropAt, type Drop, type Target } from '../workbench/docking/drops.ts';

export interface Dragging {
  /** Where the dragged pane would go; undefined if no pane is dragged, or it would stay. */
  readonly drop: Drop | undefined;
  /** The pointer is outside the window, so the dragged pane would get a window of its own. */
  readonly isOutside: boolean;
  /** Dragged pane. */
  readonly pane: string | undefined;
  /** Attachment of a pane's tab. */
  readonly grab: (pane: string) => (tab: HTMLElement) => () => void;
}

/** Distance in pixels that the pointer may move during a click. */
const CLICK_DISTANCE = 4;

/**
 * @param page returns the element that contains the groups, which have the attribute `data-group`
 * @param dropped called with a pane that has moved
 * @param popOut called with a pane that was dropped outside the window; undefined if panes stay in it
 */
export function createDragging(
  layout: Layout,
  page: () => HTMLElement | undefined,
  dropped: (pane: string) => void,
  popOut: ((pane: string) => void) | undefined,
): Dragging {
  let drop = $state.raw<Drop>();
  let dragged = $state<string>();
  let isOutside = $state(false);

  function grab(pane: string): (tab: HTMLElement) => () => void {
    return (tab) => {
      let begin: { readonly x: number; readonly y: number } | undefined;
      function down(event: PointerEvent): void {
        // In small windows panes are stacked, and a side of a pane is no place.
        if (event.button !== 0 || isStacked()) return;
        begin = { x: event.clientX, y: event.clientY };
        addEventListener('pointermove', move);
        addEventListener('pointerup', up);
        addEventListener('pointercancel', end);
        addEventListener('keydown', keydown, true);
      }
      function move({ clientX: x, clientY: y }: PointerEvent): void {
        if (!begin || (dragged === undefined && Math.hypot(x - begin.x, y - begin.y) <= CLICK_DISTANCE)) return;
        const element = page();
        dragged = pane;
        isOutside = popOut !== undefined && (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight);
        drop = isOutside ? undefined : element && dropAt(pane, { x, y }, boxOf(element), targetsIn(element, layout));
      }
      function up(): void {
        const [to, leaves] = [drop, isOutside];
        end();
        if (leaves) popOut?.(pane);
        if (!to) return;
        if (to.side) layout.splitOff(pane, to.side, to.group);
        else if (to.group !== undefined) layout.join(pane, to.group, to.before);
        dropped(pane);
      }
      function keydown(event: KeyboardEvent): void {
        if (event.key !== 'Escape' || dragged === undefined) return;
        event.stopPropagation();
        event.preventDefault();
        end();
      }
      function end(): void {
        begin = undefined;
        drop = undefined;
        dragged = undefined;
        isOutside = false;
        removeEventListener('pointermove', move);
        removeEventListener('pointerup', up);
        removeEventListener('pointercancel', end);
        removeEventListener('keydown', keydown, true);
      }
      tab.addEventListener('pointerdown', down);
      return () => {
        tab.removeEventListener('pointerdown', down);
        end();
      };
    };
  }

  return {
    get drop() {
      return drop;
    },
    get isOutside() {
      return isOutside;
    },
    get pane() {
      return dragged;
    },
    grab,
  };
}

/** The window is so small that panes are stacked: see Workspace.svelte. */
function isStacked(): boolean {
  return matchMedia('(max-width: 900px), (max-height: 520px)').matches;
}

function targetsIn(page: HTMLElement, { isOpen }: Layout): readonly Target[] {
  return [...page.querySelectorAll<HTMLElement>('[data-group]')].flatMap((element) => {
    const tablist = element.querySelector('[role=tablist]');
    const head = element.querySelector('header');
    if (!tablist || !head) return [];
    const tabs = [...tablist.querySelectorAll<HTMLElement>('[data-tab]')].map((tab) => ({
      pane: tab.dataset['tab'] ?? '',
      box: boxOf(tab),
    }));
    const panes = tabs.map(({ pane }) => pane).filter(isOpen);
    return [{ group: Number(element.dataset['group']), panes, box: boxOf(element), head: boxOf(head), tabs }];
  });
}

function boxOf(element: Element): Box {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left, top, width, height };
}
