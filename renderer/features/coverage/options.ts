import { flag, list, oneOf, text } from '../../../shared/requests/schema.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';
import { MOST_TURNED } from '../../widgets/file-tree.ts';
import { CHANGE_ORDERS } from './change-rows.ts';
import { ORDERS, type Order } from './coverage-rows.ts';

interface CoverageOptions {
  order: Order;
  isReversed: boolean;
  text: string;
  /** Only what did not run, or not all of it. */
  onlyMissed: boolean;
  /** The changes to another run are shown. */
  showsChanges: boolean;
  /** Only functions of which other parts ran. */
  onlyChanged: boolean;
  changeOrder: string;
  changeReversed: boolean;
  /** Keys of folders that are closed, and of files that are open. */
  turned: readonly string[];
}

export const coverageOptions = paneOptions<CoverageOptions>(
  'coverage',
  {
    order: oneOf(ORDERS),
    isReversed: flag,
    text: text(500),
    onlyMissed: flag,
    showsChanges: flag,
    onlyChanged: flag,
    changeOrder: oneOf(CHANGE_ORDERS),
    changeReversed: flag,
    turned: list(text(2000), MOST_TURNED, 0),
  },
  () => ({
    order: 'name',
    isReversed: false,
    text: '',
    onlyMissed: false,
    showsChanges: false,
    onlyChanged: true,
    changeOrder: 'change',
    changeReversed: false,
    turned: [],
  }),
);
