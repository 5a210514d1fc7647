/** Lengths of bars in tables, as classes because the preview page of a report forbids style attributes. */
const BARS = Array.from({ length: 100 }, (_, i) => `.b${String(i + 1)}{--bar:${String(i + 1)}%}`).join('');

/** Style of a report on screen, in both themes, and on paper. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: #ffffff; --soft: #f4f6f9; --line: #dfe4eb; --strong: #a9b4c2;
  --text: #141b24; --text-2: #435064; --text-3: #566274;
  --accent: #0b62b8; --here: #dcecfb; --bar: 0%; --bar-colour: #5aa1e0;
  --grey: #7b8696; --red: #c4314b; --orange: #c96310; --yellow: #a88700;
  --green: #2b8a4b; --teal: #0d8a8a; --blue: #2f6fd0; --purple: #7b55cf;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #0f141b; --soft: #171e27; --line: #29323e; --strong: #4a5869;
    --text: #e6eaf0; --text-2: #b4bdca; --text-3: #98a3b3;
    --accent: #62c7f7; --here: #15303f; --bar-colour: #3b86ad;
    --grey: #7d8999; --red: #ff6f86; --orange: #f29d52; --yellow: #e6d05c;
    --green: #74d39a; --teal: #4fd0c4; --blue: #5c9ded; --purple: #b79cf2;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: auto; -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 40px 32px 64px; max-width: 1080px; background: var(--ground); color: var(--text);
  font: 15px/1.55 system-ui, 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif;
  overflow-wrap: anywhere; font-variant-numeric: tabular-nums;
}
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 0; text-wrap: balance; }
h1 { font-size: 32px; font-weight: 700; letter-spacing: -0.015em; }
h2 { font-size: 21px; font-weight: 650; letter-spacing: -0.005em; margin-bottom: 12px; }
h3 { font-size: 15px; font-weight: 650; margin: 20px 0 8px; }
h4, h5, h6 { font-size: 15px; margin: 16px 0 6px; }
p { margin: 0 0 12px; }
a { color: var(--accent); text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: 0.88em; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 16px; top: 12px; background: var(--ground); padding: 8px 12px; z-index: 1; }

.cover { border-bottom: 2px solid var(--text); padding-bottom: 24px; margin-bottom: 24px; }
.eyebrow { margin: 0 0 6px; font-size: 12px; font-weight: 650; letter-spacing: 0.09em; text-transform: uppercase; color: var(--accent); }
.under { margin: 10px 0 20px; color: var(--text-2); }
.contents { margin-bottom: 8px; padding-bottom: 20px; border-bottom: 1px solid var(--line); }
.contents h2 { font-size: 12px; letter-spacing: 0.09em; text-transform: uppercase; color: var(--text-3); margin-bottom: 8px; }
.contents ol { margin: 0; padding: 0 0 0 2.4em; columns: 2 320px; column-gap: 40px; }
.contents ol.findings { columns: 1; margin-bottom: 16px; }
.findings li::marker { color: var(--own); font-weight: 700; }
.findings a { font-weight: 600; }
.findings .where { color: var(--text-3); font-size: 13px; margin-left: 8px; }
.made section + section { margin-top: 28px; }
.contents li { break-inside: avoid; padding: 2px 0 2px 4px; }
.contents li::marker { color: var(--text-3); }
.contents a { text-decoration: none; }
.contents a:hover { text-decoration: underline; }
section { margin-top: 40px; }
section.text { margin-top: 28px; }
.made { margin-top: 48px; padding-top: 24px; border-top: 2px solid var(--text); color: var(--text-2); font-size: 14px; }
.made h2 { color: var(--text); font-size: 17px; }

.facts { margin: 0 0 16px; display: grid; gap: 3px 0; }
.facts > div { display: grid; grid-template-columns: 170px minmax(0, 1fr); gap: 16px; }
dt { color: var(--text-3); }
dd { margin: 0; min-width: 0; }
.say { color: var(--text-2); }

.scroll { overflow-x: auto; margin: 0 0 16px; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
table.small { width: auto; min-width: min(100%, 460px); }
caption { text-align: start; color: var(--text-2); padding: 0 0 8px; font-weight: 600; }
td { overflow-wrap: break-word; }
tr > td > code:not(.long, [dir]) { white-space: nowrap; }
.prose td, td .long { overflow-wrap: anywhere; }
th, td { padding: 4px 14px 4px 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--text-3); font-size: 12px; white-space: nowrap; border-bottom-color: var(--strong); }
th:last-child, td:last-child { padding-inline-end: 6px; }
.right { text-align: end; white-space: nowrap; }
td.bar { background: linear-gradient(var(--bar-colour), var(--bar-colour)) no-repeat 100% 100% / var(--bar) 3px; padding-inline-end: 0; min-width: 120px; }
${BARS}
td.bar + .right, th.bar + .right { padding-inline-start: 16px; }
th.bar { padding-inline-end: 0; }

.prose > :last-child { margin-bottom: 0; }
.prose { max-width: 76ch; margin-bottom: 18px; }
.prose h2 { margin: 0 0 12px; }
.prose table { width: auto; }
.prose pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: 10px 14px; white-space: pre-wrap; }
.prose :not(pre) > code { background: var(--soft); border-radius: 4px; padding: 1px 4px; }
.prose blockquote { margin: 0 0 12px; padding-inline-start: 14px; border-inline-start: 3px solid var(--line); color: var(--text-2); }
.prose hr { border: 0; border-top: 1px solid var(--line); margin: 20px 0; }
.align-right { text-align: right; }
.align-center { text-align: center; }

.note { --own: var(--grey); border-inline-start: 4px solid var(--own); padding-inline-start: 20px; }
.c-red { --own: var(--red); } .c-orange { --own: var(--orange); } .c-yellow { --own: var(--yellow); } .c-green { --own: var(--green); }
.c-teal { --own: var(--teal); } .c-blue { --own: var(--blue); } .c-purple { --own: var(--purple); }
.labels { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; margin: -4px 0 14px; padding: 0; color: var(--text-2); font-size: 13.5px; }
.colour > span { display: inline-block; width: 10px; height: 10px; border-radius: 50%; background: var(--own); }
.tag { border: 1px solid var(--strong); border-radius: 20px; padding: 0 9px; font-size: 12.5px; line-height: 20px; }
tr.here > td { background-color: var(--here); border-bottom-color: var(--strong); }
tr.effect > td { color: var(--text-2); }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(215px, 1fr)); gap: 0 20px; margin: 0 0 16px; font-size: 13.5px; }
.grid > div { display: flex; gap: 10px; align-items: baseline; border-bottom: 1px solid var(--line); padding: 3px 0; }
.grid dt { flex: 0 0 4.5em; }
.grid .strong { background: var(--here); }
.grid .strong dd { font-weight: 650; }
.since { color: var(--text-3); font-size: 12px; font-weight: 400; }

figure { margin: 0 0 16px; }
figure svg { display: block; width: 100%; height: auto; }
figure .dark { display: none; }
figcaption { color: var(--text-2); font-size: 13.5px; margin-top: 8px; }
.from { margin-top: 6px; font-size: 12.5px; color: var(--text-3); }
.from summary { cursor: pointer; width: fit-content; }
.from ul { margin: 6px 0 0; padding-inline-start: 1.6em; }
.from li { margin-bottom: 4px; }

@media screen and (prefers-color-scheme: dark) {
  figure .light { display: none; }
  figure .dark { display: block; }
}
@media screen and (max-width: 640px) {
  body { padding: 24px 16px 48px; }
  h1 { font-size: 25px; }
  .facts > div { grid-template-columns: 1fr; gap: 0; margin-bottom: 6px; }
}
@page { margin: 16mm 15mm 18mm; @bottom-right { content: counter(page) ' / ' counter(pages); font: 8.5pt system-ui, sans-serif; color: #566274; } }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; line-height: 1.45; }
  h1 { font-size: 22pt; } h2 { font-size: 14pt; } h3, h4, h5, h6 { font-size: 10.5pt; }
  h1, h2, h3, h4, h5, h6, caption, .labels { break-after: avoid; break-inside: avoid; }
  .labels { display: block; }
  .labels > li { display: inline-block; margin-inline-end: 14px; }
  table.short { break-inside: avoid; }
  .contents ol { columns: 1; }
  .skip { display: none; }
  section { margin-top: 22pt; }
  .contents { break-inside: avoid; }
  figure, .facts > div, .grid > div, tr, .prose pre { break-inside: avoid; }
  figcaption { break-before: avoid; }
  thead { display: table-header-group; }
  p, li { orphans: 3; widows: 3; }
  table, .grid { font-size: 8.5pt; }
  .scroll { overflow: visible; }
  a { color: inherit; }
  td.bar, tr.here > td, .grid .strong, .colour > span, .note, figure { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .from { font-size: 8pt; }
  .from::details-content { content-visibility: visible; display: block; block-size: auto; }
  .from summary { list-style: none; }
}
`;
