import type { FunctionId } from '../../../shared/requests/flow.ts';
import { flag, functionId, list, oneOf, text } from '../../../shared/requests/schema.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';
import { EDGE_ORDERS, FUNCTION_ORDERS, type EdgeOrder, type FunctionOrder } from './call-table.ts';

/** Choices of the number of steps and of functions that are drawn. */
export const STEPS = [1, 2, 3, 4, 6] as const;
export const MOST = [20, 40, 70, 100] as const;

interface GraphOptions {
  asTable: boolean;
  inRange: boolean;
  steps: (typeof STEPS)[number];
  most: (typeof MOST)[number];
  collapse: boolean;
  /** Functions whose cycles are shown one by one. */
  opened: readonly FunctionId[];
  /** Rows of the table, their filter and orders. */
  rows: 'functions' | 'edges';
  text: string;
  order: FunctionOrder;
  edgeOrder: EdgeOrder;
}

export const graphOptions = paneOptions<GraphOptions>(
  'graph',
  {
    asTable: flag,
    inRange: flag,
    steps: oneOf(STEPS),
    most: oneOf(MOST),
    collapse: flag,
    opened: list(functionId, 200),
    rows: oneOf(['functions', 'edges']),
    text: text(500),
    order: oneOf(FUNCTION_ORDERS),
    edgeOrder: oneOf(EDGE_ORDERS),
  },
  () => ({
    asTable: false,
    inRange: true,
    steps: 2,
    most: 40,
    collapse: true,
    opened: [],
    rows: 'functions',
    text: '',
    order: 'total',
    edgeOrder: 'count',
  }),
);
