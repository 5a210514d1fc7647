import type { FunctionId } from '../../../shared/requests/flow.ts';
import { flag, functionId, oneOf, text } from '../../../shared/requests/schema.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';
import { ORDERS, type Order } from './function-rows.ts';

interface HotSpotsOptions {
  view: 'functions' | 'loops';
  order: Order;
  isReversed: boolean;
  text: string;
  chosen: FunctionId | null;
  /** Header of the selected loop. */
  loop: string | null;
}

export const hotSpotsOptions = paneOptions<HotSpotsOptions>(
  'profile',
  {
    view: oneOf(['functions', 'loops']),
    order: oneOf(ORDERS),
    isReversed: flag,
    text: text(500),
    chosen: functionId,
    loop: text(100),
  },
  () => ({ view: 'functions', order: 'self', isReversed: false, text: '', chosen: null, loop: null }),
);
