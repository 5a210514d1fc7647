/** Whose lines are these? The dialects of the family; all line forms are read in each, a dialect decides what is ambiguous. */
export const DIALECTS = ['qemu4v', 'fastmodels', 'es', 'gem5', 'rtl'] as const;

export type Dialect = (typeof DIALECTS)[number];

/** Units that timestamps come in (docs/formats/tarmac.md). */
export const UNITS = ['clk', 'ns', 'cs', 'cyc', 'tic', 'ps', 'us'] as const;
