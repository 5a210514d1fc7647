/** Places of two sequences that are aligned. */

/** `length` symbols from place `a` of the one sequence equal those from place `b` of the other. */
export interface Match {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

/** Places [a, aEnd) and [b, bEnd). */
export interface Part {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}
