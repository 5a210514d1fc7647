/** A report as text, in pieces that `verify` compares one by one. */
export interface Pieces {
  readonly head: string;
  /** One for each item. */
  readonly items: readonly string[];
  readonly tail: string;
  /** Drawings in files of their own, with the part that each belongs to. */
  readonly beside: readonly { readonly part: number; readonly name: string; readonly text: string }[];
}
