/** Appearance of a figure. The request decides its content. */
import type { Theme } from '../heat/palette.ts';

export interface Look {
  readonly theme: Theme;
  /** Title that replaces the default one. */
  readonly title?: string;
  /** False if the title stands beside the figure, as in a report: it is then only spoken. */
  readonly isTitled?: boolean;
}
