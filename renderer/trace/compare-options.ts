/** Which trace a trace is compared with, and how the pane Compare shows both. */
import { cpu, flag, text } from '../../shared/requests/schema.ts';
import { paneOptions } from './pane-options.svelte.ts';

interface CompareOptions {
  /** Path of the other trace; absent if none is compared. */
  other: string | undefined;
  /** CPU that is compared; absent if the traces have only one. */
  cpu: number | undefined;
  /** The other trace has been given program images, or a person has chosen them. */
  hasImages: boolean;
  /** The differences of state are shown. */
  showsState: boolean;
}

export const compareOptions = paneOptions<CompareOptions>(
  'compare',
  { other: text(2000), cpu, hasImages: flag, showsState: flag },
  () => ({ other: undefined, cpu: undefined, hasImages: false, showsState: true }),
);
