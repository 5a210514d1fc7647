/**
 * Layouts that a trace begins with, by what its records contain. A template names the panes that it places itself; every other pane goes to
 * the group that takes its home.
 */
import type { Opened } from '../../../shared/requests/requests.ts';
import { groupsOf, tidy, type Group, type Split, type Tree } from './tree.ts';

/** Place of a pane that a template does not name. A pane in `whole` covers everything below the overview while it is open. */
export type Area = 'top' | 'whole' | 'left-upper' | 'left-lower' | 'right-upper' | 'right-lower';

export interface PlacedPane {
  readonly id: string;
  readonly home: Area;
  /** The pane is closed until a person opens it. */
  readonly startsClosed?: boolean;
}

/** Kind of the records of a trace: it decides which panes are useful. */
export type Content = 'instructions' | 'bus' | 'branches' | 'buffers';

export const CONTENTS: Readonly<Record<Content, string>> = {
  instructions: 'Instruction trace',
  bus: 'Bus trace',
  branches: 'Branch messages',
  buffers: 'Trace buffers',
};

/** Facts by which a trace gets its first layout. */
export type TraceFacts = Pick<Opened, 'messages' | 'followed' | 'instructions' | 'registers' | 'flow'>;

export function contentOf({ messages, followed, instructions }: TraceFacts): Content {
  if (messages) return followed ? 'buffers' : 'branches';
  return instructions ? 'instructions' : 'bus';
}

/** A group or split without ids; `takes`: homes whose panes follow the named ones. */
type Template =
  | { readonly panes: readonly string[]; readonly takes?: readonly Area[] }
  | { readonly along: Split['along']; readonly sizes: readonly number[]; readonly parts: readonly Template[] };

const OVERVIEW: Template = { panes: [], takes: ['top'] };

const TEMPLATES: Readonly<Record<Content, Template>> = {
  instructions: belowOverview({
    along: 'row',
    sizes: [0.52, 0.48],
    parts: [
      {
        along: 'column',
        sizes: [0.57, 0.43],
        parts: [
          { panes: [], takes: ['left-upper'] },
          { panes: [], takes: ['left-lower'] },
        ],
      },
      {
        along: 'column',
        sizes: [0.58, 0.42],
        parts: [
          { panes: [], takes: ['right-upper'] },
          {
            along: 'row',
            sizes: [0.58, 0.42],
            parts: [{ panes: ['registers'], takes: ['right-lower'] }, { panes: ['stack'] }],
          },
        ],
      },
    ],
  }),
  bus: belowOverview({
    along: 'row',
    sizes: [0.62, 0.38],
    parts: [
      { panes: [], takes: ['left-upper'] },
      {
        along: 'column',
        sizes: [0.54, 0.46],
        parts: [
          { panes: [], takes: ['right-upper'] },
          { panes: [], takes: ['left-lower', 'right-lower'] },
        ],
      },
    ],
  }),
  branches: belowOverview({
    along: 'row',
    sizes: [0.54, 0.46],
    parts: [
      {
        along: 'column',
        sizes: [0.56, 0.44],
        parts: [{ panes: ['graph'], takes: ['left-upper'] }, { panes: ['tree'] }],
      },
      {
        along: 'column',
        sizes: [0.5, 0.5],
        parts: [
          { panes: [], takes: ['right-upper'] },
          { panes: ['branches', 'stack'], takes: ['left-lower', 'right-lower'] },
        ],
      },
    ],
  }),
  buffers: belowOverview({
    along: 'row',
    sizes: [0.5, 0.5],
    parts: [
      {
        along: 'column',
        sizes: [0.6, 0.4],
        parts: [
          { panes: [], takes: ['right-upper'] },
          { panes: ['bytes'], takes: ['left-lower', 'right-lower'] },
        ],
      },
      {
        along: 'column',
        sizes: [0.5, 0.5],
        parts: [{ panes: ['branches', 'stack'] }, { panes: ['graph'], takes: ['left-upper'] }],
      },
    ],
  }),
};

/** Panes that need the program flow, and panes that need registers. */
const FLOW_PANES: readonly string[] = ['graph', 'tree', 'profile', 'branches', 'stack'];

function belowOverview(rest: Template): Template {
  return { along: 'column', sizes: [0.17, 0.83], parts: [OVERVIEW, rest] };
}

/** Returns the arrangement that traces of a content begin with. */
export function initialTree(content: Content, panes: readonly PlacedPane[]): Tree {
  const named = new Set(panesOf(TEMPLATES[content]));
  let last = 0;
  function build(template: Template): Tree {
    last += 1;
    const id = last;
    if ('parts' in template)
      return { id, along: template.along, sizes: template.sizes, parts: template.parts.map(build) };
    const own = template.panes.filter((id) => panes.some((pane) => pane.id === id));
    const { takes = [] } = template;
    const taken = panes.filter((pane) => takes.includes(pane.home) && !named.has(pane.id)).map((pane) => pane.id);
    return { id, panes: [...own, ...taken] } satisfies Group;
  }
  return tidy(build(TEMPLATES[content]));
}

/** Returns the panes that are closed at first: they would be empty, or wait for a request. */
export function closedAtFirst(facts: TraceFacts, panes: readonly PlacedPane[]): readonly string[] {
  const isUseless = (pane: string): boolean =>
    (pane === 'registers' && !facts.registers) ||
    (FLOW_PANES.includes(pane) && !facts.flow) ||
    (pane === 'stack' && contentOf(facts) === 'bus');
  return panes.filter(({ id, startsClosed }) => startsClosed === true || isUseless(id)).map(({ id }) => id);
}

function panesOf(template: Template): readonly string[] {
  if ('parts' in template) return template.parts.flatMap(panesOf);
  return template.panes;
}

/** Returns a pane of `among` that shares the group of another one in the first arrangement; undefined if there is none. */
export function mateOf(pane: string, first: Tree, among: readonly string[]): string | undefined {
  const mates = groupsOf(first).find(({ panes }) => panes.includes(pane))?.panes ?? [];
  return mates.find((mate) => among.includes(mate));
}
