/** Appearance of a figure. The request decides its content. */
import type { Theme } from '../heat/palette.ts';

export interface Look {
  readonly theme: Theme;
  /** Title that replaces the default one. */
  readonly title?: string;
}
