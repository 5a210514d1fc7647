import { text } from '../../../shared/requests/schema.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';

interface RegisterOptions {
  /** CPU as the pane's list of CPUs names it; null = the CPU of the cursor's record. */
  cpu: string | null;
}

export const registerOptions = paneOptions<RegisterOptions>('registers', { cpu: text(20, 0) }, () => ({ cpu: null }));
