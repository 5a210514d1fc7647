/** Limits of bundles. */

/** Largest number of slices in a bundle. */
export const SLICES_MOST = 1000;
/** Upper limit of the records around a cited record, and of the lines of state before a slice. */
export const CONTEXT_MOST = 10_000;
/** Records before and after a cited record that a bundle holds too, by default. */
export const CONTEXT = 100;
/** Records of one citation that a bundle holds, by default and at most. */
export const CITED_RECORDS = 20_000;
export const CITED_RECORDS_MOST = 1_000_000;
/** Bytes of all slices together, by default and at most. */
export const SLICE_BYTES = 32 * 1024 * 1024;
export const SLICE_BYTES_MOST = 128 * 1024 * 1024;
