/**
 * Prepares a report for the preview in the page: in a frame without scripts, under the page's policy, in the page's theme.
 *
 * The document in the frame inherits the policy of the page, which allows only the inline styles listed by `previewStyles`.
 */

export type PreviewTheme = 'dark' | 'light';

/**
 * @param html the report as HTML, from the `report` request
 * @param part 1-based number of the part to scroll to; 0 for the beginning
 */
export function previewHtml(html: string, theme: PreviewTheme, part: number): string {
  return (
    html
      .replace(STYLE, (_all, begin: string, style: string) => `${begin}${themed(style, theme)}</style>`)
      .replace('<meta name="color-scheme" content="light dark">', `<meta name="color-scheme" content="${theme}">`)
      .replace(DATA, '')
      // The policy allows no styles of single elements. Digits of figures have the width of those in the surrounding report.
      .replaceAll(' style="image-rendering: pixelated"', ' image-rendering="pixelated"')
      .replaceAll(' style="font-variant-numeric: tabular-nums"', '')
      // A URL of the page with a fragment would load another document.
      .replaceAll(LINK, '$1href="about:srcdoc#')
      .replace(`<section id="part-${part}" class="`, `<section id="part-${part}" class="in-sight `)
  );
}

/** Returns the contents of the style elements in previews of reports with this style, each with its preceding line end. */
export function previewStyles(style: string): readonly string[] {
  return [themed(`\n${style}`, 'dark'), themed(`\n${style}`, 'light')];
}

const STYLE = /(<style>)([\s\S]*?)<\/style>/;
/** Data that only `verify` reads. */
const DATA = /<template id="tracebench-report">[\s\S]*?<\/template>/;
const LINK = /(<a (?:[a-z-]+="[^"]*" )*)href="#/g;
const IN_SIGHT = '.in-sight { scroll-initial-target: nearest; scroll-margin-top: 16px; }\n';

function themed(style: string, theme: PreviewTheme): string {
  const always = theme === 'dark' ? 'min-width: 0' : 'width < 0px';
  return `${style
    .replaceAll('prefers-color-scheme: dark', always)
    .replaceAll('color-scheme: light dark', `color-scheme: ${theme}`)}${IN_SIGHT}`;
}
