/** Style of a page of coverage on screen, in both themes, and on paper. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: #ffffff; --soft: #f4f6f9; --line: #dfe4eb; --strong: #a9b4c2;
  --text: #141b24; --text-2: #435064; --text-3: #566274; --accent: #0b62b8;
  --good: #2b8a4b; --part: #b07a10; --bad: #c4314b; --bad-ground: #fdecef; --part-ground: #fbf3e0;
  --heat: 24, 128, 72;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #0f141b; --soft: #171e27; --line: #29323e; --strong: #4a5869;
    --text: #e6eaf0; --text-2: #b4bdca; --text-3: #98a3b3; --accent: #62c7f7;
    --good: #74d39a; --part: #e8b954; --bad: #ff7d92; --bad-ground: #3a1820; --part-ground: #33290f;
    --heat: 76, 190, 128;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 40px 32px 64px; max-width: 1180px; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
h1, h2 { line-height: 1.25; margin: 0; text-wrap: balance; }
h1 { font-size: 30px; font-weight: 700; letter-spacing: -0.015em; }
h2 { font-size: 19px; font-weight: 650; margin: 0 0 12px; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 16px; top: 12px; background: var(--ground); padding: 8px 12px; z-index: 1; }
.eyebrow { margin: 0 0 6px; font-size: 12px; font-weight: 650; letter-spacing: 0.09em; text-transform: uppercase; color: var(--accent); }
.under { margin: -6px 0 12px; color: var(--text-3); font-size: 13.5px; }
h1 + .under { margin-top: 8px; }
.note { color: var(--text-2); border-inline-start: 3px solid var(--part); padding-inline-start: 10px; margin: 12px 0; }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 14px; margin: 24px 0 8px; }
.totals > div { background: var(--soft); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
.totals dt { color: var(--text-3); font-size: 13px; }
.totals dd { margin: 2px 0 8px; font-size: 26px; font-weight: 650; letter-spacing: -0.02em; }
.totals p { margin: 6px 0 0; color: var(--text-3); font-size: 13px; }
section { margin-top: 36px; }
.meter { display: block; width: 100%; height: 6px; border-radius: 3px; }
.meter .all { fill: var(--line); }
.meter.full .ran { fill: var(--good); }
.meter.part .ran { fill: var(--part); }
.row { display: grid; grid-template-columns: minmax(180px, 1fr) repeat(3, 150px) 90px; gap: 18px; align-items: center; padding: 5px 8px; border-radius: 6px; }
.row.head { color: var(--text-3); font-size: 12px; font-weight: 600; border-bottom: 1px solid var(--strong); border-radius: 0; }
.row.head span:last-child { text-align: end; }
.row small { color: var(--text-3); }
.row b { font-weight: 550; }
.row .count { text-align: end; color: var(--text-2); }
.row .meter { margin-bottom: 2px; height: 4px; }
.row.never .name, .row.never .name a { color: var(--bad); }
.tree { font-size: 13.5px; }
.tree details > summary { cursor: pointer; list-style: none; }
.tree details > summary::-webkit-details-marker { display: none; }
.tree .row:hover { background: var(--soft); }
.tree .row.head:hover { background: none; }
.inner { margin-inline-start: 18px; border-inline-start: 1px solid var(--line); padding-inline-start: 6px; }
.inner .row { grid-template-columns: minmax(120px, 1fr) repeat(3, 150px) 90px; }
summary > .name::before { content: '▸'; display: inline-block; width: 16px; color: var(--text-3); transition: transform 0.12s; }
details[open] > summary > .name::before { transform: rotate(90deg); }
.name { min-width: 0; }
.name.folder { font-weight: 600; }
.name.function { font-family: var(--mono); font-size: 12.5px; }
.source h2 { font-family: var(--mono); font-size: 15px; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
.lines { border-collapse: collapse; font: 12.5px/1.55 var(--mono); min-width: 100%; }
.lines th { font: 600 11px/1.4 system-ui, sans-serif; color: var(--text-3); text-align: end; padding: 6px 12px 6px 8px; white-space: nowrap; background: var(--soft); border-bottom: 1px solid var(--line); }
.lines td { padding: 0 12px 0 8px; white-space: pre; vertical-align: top; }
.lines .line, .lines .count, .lines .ways, .lines .skips { text-align: end; width: 1%; }
.lines .line { color: var(--text-3); user-select: none; }
.lines .count { border-inline-start: 1px solid var(--line); }
.lines .text { border-inline-start: 1px solid var(--line); }
.lines .text { width: 100%; }
.both { color: var(--good); }
.partly { color: var(--part); font-weight: 700; }
.never td { background: var(--bad-ground); }
.skipped td { background: var(--part-ground); }
.never .count { color: var(--bad); font-weight: 700; }
.heat-1 .count { background: rgba(var(--heat), 0.10); }
.heat-2 .count { background: rgba(var(--heat), 0.18); }
.heat-3 .count { background: rgba(var(--heat), 0.27); }
.heat-4 .count { background: rgba(var(--heat), 0.37); }
.heat-5 .count { background: rgba(var(--heat), 0.48); }
.heat-6 .count { background: rgba(var(--heat), 0.60); }
tr:target td { outline: 2px solid var(--accent); outline-offset: -2px; }
@media (prefers-reduced-motion: reduce) { summary > .name::before { transition: none; } }
@media (max-width: 900px) {
  body { padding: 24px 16px 48px; }
  .row, .inner .row { grid-template-columns: minmax(0, 1fr) 90px; }
  .row > span:nth-child(n + 3) { display: none; }
}
@media print { .scroll { overflow: visible; } section { break-before: auto; } }
`;
