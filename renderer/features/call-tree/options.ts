import type { CallSpan, FunctionId } from '../../../shared/requests/flow.ts';
import {
  cpu,
  flag,
  functionId,
  lenient,
  list,
  oneOf,
  partOfFile,
  record,
  text,
  whole,
  type Schema,
} from '../../../shared/requests/schema.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';

export type Way = 'heavy' | 'time' | 'up';

/** Functions from a root to a frame. */
export type FramePath = readonly FunctionId[];

interface TreeOptions {
  way: Way;
  asTable: boolean;
  /** Recursion is folded, except in time order. */
  isFolded: boolean;
  text: string;
  /** Zoomed frame in each order of frames; empty = all. */
  heavyPath: FramePath;
  upPath: FramePath;
  /** Frames of the table that a person folded or unfolded. */
  heavyTurned: readonly FramePath[];
  upTurned: readonly FramePath[];
  chosen: ChosenCall | null;
}

/** Largest number of frames that stay folded or unfolded. */
export const MOST_TURNED = 100;

/** Identifies a call in answers about any range: by the path to its frame, or in time order by its span. */
export interface ChosenCall {
  readonly way: Way;
  readonly path?: FramePath | undefined;
  readonly cpu?: number | undefined;
  readonly span?: Pick<CallSpan, 'id' | 'depth' | 'from' | 'to'> | undefined;
}

const way = oneOf(['heavy', 'time', 'up']);
const path = list(functionId, 500) as Schema<FramePath>;
const depth = whole(0, 1_000_000);
const span = partOfFile({ id: functionId, depth, from: record, to: record });

/** Calls of branch messages are first shown in time order. */
export const treeOptions = paneOptions<TreeOptions>(
  'tree',
  {
    way,
    asTable: flag,
    isFolded: flag,
    text: text(500),
    heavyPath: path,
    upPath: path,
    heavyTurned: list(path, MOST_TURNED),
    upTurned: list(path, MOST_TURNED),
    chosen: partOfFile({ way, path: lenient(path), cpu: lenient(cpu), span: lenient(span) }),
  },
  ({ opened }) => ({
    way: opened.messages && !opened.followed ? 'time' : 'heavy',
    asTable: false,
    isFolded: false,
    text: '',
    heavyPath: [],
    upPath: [],
    heavyTurned: [],
    upTurned: [],
    chosen: null,
  }),
);
