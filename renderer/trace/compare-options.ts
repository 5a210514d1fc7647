/** Which trace a trace is compared with, and how the pane Compare shows both. */
import { cpu, flag, list, oneOf, text } from '../../shared/requests/schema.ts';
import { paneOptions } from './pane-options.svelte.ts';

/** Kinds of differences that count; `values` if both traces record any. */
export const COMPARED_BY = ['values', 'path', 'symbol'] as const;
export type ComparedBy = (typeof COMPARED_BY)[number];

interface CompareOptions {
  /** Path of the other trace; absent if none is compared. */
  other: string | undefined;
  /** CPU that is compared; absent if the traces have only one. */
  cpu: number | undefined;
  by: ComparedBy;
  /** Registers, functions and addresses of the first program that do not count, as a person typed them. */
  ignore: readonly string[];
  /** Every instruction is decoded and compared. */
  confirm: boolean;
  /** The other trace has been given program images, or a person has chosen them. */
  hasImages: boolean;
  /** The differences of state are shown. */
  showsState: boolean;
  /** The options above are shown. */
  showsOptions: boolean;
}

export const compareOptions = paneOptions<CompareOptions>(
  'compare',
  {
    other: text(2000),
    cpu,
    by: oneOf(COMPARED_BY),
    ignore: list(text(200), 10),
    confirm: flag,
    hasImages: flag,
    showsState: flag,
    showsOptions: flag,
  },
  () => ({
    other: undefined,
    cpu: undefined,
    by: 'values',
    ignore: [],
    confirm: false,
    hasImages: false,
    showsState: true,
    showsOptions: false,
  }),
);
