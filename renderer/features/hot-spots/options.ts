import type { FunctionId } from '../../../shared/requests/flow.ts';
import { flag, functionId, list, oneOf, text } from '../../../shared/requests/schema.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';
import { MOST_TURNED } from '../../widgets/file-tree.ts';
import { CHANGE_ORDERS } from './change-rows.ts';
import { CODE_ORDERS, type CodeOrder } from './code-rows.ts';
import { ORDERS, type Order } from './function-rows.ts';

interface HotSpotsOptions {
  view: 'functions' | 'loops' | 'code';
  order: Order;
  isReversed: boolean;
  text: string;
  chosen: FunctionId | null;
  /** Header of the selected loop. */
  loop: string | null;
  codeOrder: CodeOrder;
  codeReversed: boolean;
  codeText: string;
  /** Functions and code are measured in the time of the trace. */
  byTime: boolean;
  /** The changes to another run are shown. */
  showsChanges: boolean;
  changeOrder: string;
  changeReversed: boolean;
  /** Keys of folders that are closed, and of other rows that are open. */
  turned: readonly string[];
}

export const hotSpotsOptions = paneOptions<HotSpotsOptions>(
  'profile',
  {
    view: oneOf(['functions', 'loops', 'code']),
    order: oneOf(ORDERS),
    isReversed: flag,
    text: text(500),
    chosen: functionId,
    loop: text(100),
    codeOrder: oneOf(CODE_ORDERS),
    codeReversed: flag,
    codeText: text(500),
    byTime: flag,
    showsChanges: flag,
    changeOrder: oneOf(CHANGE_ORDERS),
    changeReversed: flag,
    turned: list(text(2000), MOST_TURNED, 0),
  },
  () => ({
    view: 'functions',
    order: 'self',
    isReversed: false,
    text: '',
    chosen: null,
    loop: null,
    codeOrder: 'self',
    codeReversed: false,
    codeText: '',
    byTime: false,
    showsChanges: false,
    changeOrder: 'self',
    changeReversed: false,
    turned: [],
  }),
);
