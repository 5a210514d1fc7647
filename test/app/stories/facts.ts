/** Facts about a trace that the stories check: found by reading the file of the trace, never by the program. */

export interface Facts {
  readonly format: string;
  /** The trace, below `test/samples`. */
  readonly sample: string;
  /** Name of the copy that the stories open. */
  readonly file: string;
  /** Text that the copy has after the sample. */
  readonly more?: string;
  /** Number of the last record. */
  readonly last: number;
  /** The pictures of the user's guide show this trace, and the first run opens a sample and leaves its tour. */
  readonly isInGuide?: true;
  /**
   * The format stands for all with its first layout: `npm test` plays all stories on it. On others it plays those whose answers depend on
   * the format, and the nightly run plays the rest.
   */
  readonly standsForLayout?: true;
  /** Panes that are in front at first. */
  readonly panes: readonly string[];
  readonly write: LastWrite | NoWrite;
  readonly time: Time;
  readonly loop: Loop | NoLoop;
  readonly image: Image;
  /** Text of a record after the first ones, which the story of the keyboard searches, and the number of the first such record. */
  readonly search: { readonly text: string; readonly record: number };
}

/** The last write of a byte before the end of the trace. */
export interface LastWrite {
  readonly address: number;
  readonly record: number;
  /** Byte or change in the status line; absent if the trace has no values. */
  readonly change?: string;
}

/** An address without a write, and the sentence about it. */
export interface NoWrite {
  readonly address: number;
  readonly none: string;
}

export interface Time {
  /** A record for which the overview has a column, and the kind of the record as the tooltip names it. */
  readonly record: number;
  readonly kind: string;
  /** The rows of the first phases in their table, or the reason why there are none. */
  readonly phases: readonly RegExp[] | string;
}

export interface Loop {
  /** Cells of the row of the loop. */
  readonly row: RegExp;
  /** First record at the header. */
  readonly entry?: number;
  /** Records of the header after each of the first iterations. */
  readonly iterations: readonly number[];
  /** The loop is known only with the right program image. */
  readonly needsImage?: string;
}

export interface NoLoop {
  /** Reason why no loop is known. */
  readonly none: string;
}

export interface Image {
  /** An ELF file of another program, or of the program at another place, and what the page says about it. */
  readonly wrong: Uint8Array;
  readonly says: string | RegExp;
  /** A bar above the panes warns of the image and offers to drop it. */
  readonly isRefused: boolean;
  /** The ELF file of the program, what the page says about it, and a symbol of it. */
  readonly right: Uint8Array;
  readonly matches: string | RegExp;
  readonly symbol: string;
}
