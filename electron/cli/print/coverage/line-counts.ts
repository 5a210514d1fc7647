/** Which of the counts of a line's instructions is that of the line. */
export const LINE_COUNTS = ['most', 'first', 'sum'] as const;
export type LineCount = (typeof LINE_COUNTS)[number];
