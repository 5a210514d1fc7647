/** How a figure is to look; what it shows is the wish's. */
import type { Theme } from '../heat/palette.ts';

export interface Look {
  readonly theme: Theme;
  /** Stands above it instead of its own. */
  readonly title?: string;
}
