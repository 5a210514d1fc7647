import type { FunctionId } from '../../../shared/requests/flow.ts';
import { attached } from '../../trace/attached.svelte.ts';
import type { Order } from './function-rows.ts';

interface HotSpotsOptions {
  readonly view: 'functions' | 'loops';
  readonly order: Order;
  readonly isReversed: boolean;
  readonly text: string;
  readonly chosen: FunctionId | null;
  /** Header of the selected loop. */
  readonly loop: string | null;
}

/** Options of the Hot spots pane, which is created again whenever it comes to the front. */
export const hotSpotsOptions = attached((): { current: HotSpotsOptions } => ({
  current: { view: 'functions', order: 'self', isReversed: false, text: '', chosen: null, loop: null },
}));
