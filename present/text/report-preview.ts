/**
 * A report as the page previews it: in a frame without scripts, under the page's own policy, in the page's theme.
 *
 * The frame's document takes over the policy of the page that holds it, which allows no inline style but those that `previewStyles` tells.
 */

export type PreviewTheme = 'dark' | 'light';

/**
 * @param html a report as `report` answers it
 * @param part number of the part, from 1, that is to be in sight; 0 for the beginning
 */
export function previewHtml(html: string, theme: PreviewTheme, part: number): string {
  return (
    html
      .replace(STYLE, (_all, begin: string, style: string) => `${begin}${themed(style, theme)}</style>`)
      .replace('<meta name="color-scheme" content="light dark">', `<meta name="color-scheme" content="${theme}">`)
      .replace(DATA, '')
      // The policy allows no styles of single elements. Digits of figures are as wide as those of the report around.
      .replaceAll(' style="image-rendering: pixelated"', ' image-rendering="pixelated"')
      .replaceAll(' style="font-variant-numeric: tabular-nums"', '')
      // An address of the page, with what is behind the #, would be another document.
      .replaceAll(LINK, '$1href="about:srcdoc#')
      .replace(`<section id="part-${part}" class="`, `<section id="part-${part}" class="in-sight `)
  );
}

/** What stands in the style elements of previews of reports with this style, each with the line end before it. */
export function previewStyles(style: string): readonly string[] {
  return [themed(`\n${style}`, 'dark'), themed(`\n${style}`, 'light')];
}

const STYLE = /(<style>)([\s\S]*?)<\/style>/;
/** What `verify` reads, and nobody sees. */
const DATA = /<template id="tracebench-report">[\s\S]*?<\/template>/;
const LINK = /(<a (?:[a-z-]+="[^"]*" )*)href="#/g;
const IN_SIGHT = '.in-sight { scroll-initial-target: nearest; scroll-margin-top: 16px; }\n';

function themed(style: string, theme: PreviewTheme): string {
  const always = theme === 'dark' ? 'min-width: 0' : 'width < 0px';
  return `${style
    .replaceAll('prefers-color-scheme: dark', always)
    .replaceAll('color-scheme: light dark', `color-scheme: ${theme}`)}${IN_SIGHT}`;
}
