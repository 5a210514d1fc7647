/** A chart as a file: what every drawing of one answers. */
export interface Figure {
  /** One SVG element that stands alone; the same trace, wish and look give the same bytes. */
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** What it shows, in words, for whoever does not see it: a few sentences. */
  readonly description: string;
}
