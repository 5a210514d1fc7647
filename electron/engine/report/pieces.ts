/** Text of a report in pieces that `verify` compares one by one. */
export interface Pieces {
  readonly head: string;
  /** One piece per item. */
  readonly items: readonly string[];
  readonly tail: string;
  /** Drawings in separate files, with the number of their part. */
  readonly drawings: readonly { readonly part: number; readonly name: string; readonly text: string }[];
}
