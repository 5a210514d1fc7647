/** Another program that builds the index of the same trace, as a program sees it that waits for this index. */

export interface Neighbour {
  /** Its process number; undefined if it has not recorded one yet. */
  readonly process?: number;
}

/**
 * Returns a function that is called with the neighbour's latest sign of life at each look. It returns true once `patience` looks in a
 * row after the first have shown the same sign. Looks are counted instead of time: a computer that was asleep, or a stopped program
 * that was continued, then gives its neighbour time to show a new sign.
 */
export function createStandstill(patience: number): (sign: string) => boolean {
  let last: string | undefined;
  let same = 0;
  return (sign) => {
    same = sign === last ? same + 1 : 0;
    last = sign;
    return same >= patience;
  };
}

export function neighbourName(process: number | undefined): string {
  return process === undefined ? 'another program' : `process ${String(process)}`;
}
