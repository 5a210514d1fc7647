import { attached } from '../../trace/attached.svelte.ts';

interface RegisterOptions {
  /** CPU as the pane's list of CPUs names it; null = the CPU of the cursor's record. */
  readonly cpu: string | null;
}

/** Options of the Registers pane, which is created again whenever it comes to the front. */
export const registerOptions = attached((): { current: RegisterOptions } => ({ current: { cpu: null } }));
