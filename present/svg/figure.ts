/** A finished figure: an SVG with its title and description. */
export interface Figure {
  /** One self-contained SVG element; the same trace, request and look give the same bytes. */
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** Description for readers who cannot see the figure: a few sentences. */
  readonly description: string;
}
