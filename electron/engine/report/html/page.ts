/**
 * Writes a report as one HTML file without scripts. Its policy blocks scripts and all fetching. Parts are enclosed in marker comments, so
 * that `verify` can identify a changed part. The data follows all parts as JSON in a template, which browsers do not show.
 */
import type { Block } from '../blocks.ts';
import type { Item, ReportDocument } from '../document.ts';
import { itemBlocks } from '../item-blocks.ts';
import { identityRows, madeBlocks, underTitle } from '../made.ts';
import type { Pieces } from '../pieces.ts';
import { commandText, whereText } from '../provenance.ts';
import { steady } from '../../../../shared/base/visible.ts';
import { recordsText } from '../words.ts';
import { blockHtml } from './blocks.ts';
import { escape } from './escape.ts';
import { STYLE } from './style.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export function htmlPieces(document: ReportDocument): Pieces {
  return {
    head: headHtml(document),
    items: document.items.map((item, i) => itemHtml(item, i + 1)),
    tail: tailHtml(document),
    drawings: [],
  };
}

function headHtml(document: ReportDocument): string {
  const title = steady(document.plan.title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escape(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Tracebench ${escape(document.program)}">
<title>${escape(title)}</title>
<style>
${STYLE}</style>
</head>
<body>
<a class="skip" href="#report">Skip to the report</a>
<header class="cover">
<p class="eyebrow">Trace report</p>
<h1 dir="auto">${escape(title)}</h1>
<p class="under">${underTitle(document)
    .map((text) => `<bdi>${escape(text)}</bdi>`)
    .join(' · ')}</p>
</header>
${contentsHtml(document.items)}<main id="report">
`;
}

/** The findings, which are the notes, come before the other parts. */
function contentsHtml(items: readonly Item[]): string {
  const entries = items.map((item, i) => ({ item, link: `<a href="#part-${String(i + 1)}">` }));
  const findings = entries.flatMap(({ item, link }) => (item.kind === 'note' ? [findingHtml(item, link)] : []));
  const others = entries.flatMap(({ item, link }) =>
    item.kind === 'note' || item.title === '' ? [] : [`<li>${link}<bdi>${escape(item.title)}</bdi></a></li>\n`],
  );
  const opening = `<h2 id="findings">Findings</h2>\n<ol class="findings">\n${findings.join('')}</ol>\n`;
  return `<nav class="contents" aria-label="Contents">
${findings.length === 0 ? '' : opening}<h2 id="contents">${findings.length === 0 ? 'Contents' : 'Facts'}</h2>
<ol>
${others.join('')}<li><a href="#trace">The trace</a></li>
<li><a href="#made">How this report was made</a></li>
</ol>
</nav>
`;
}

function findingHtml({ title, data: { note } }: Extract<Item, { readonly kind: 'note' }>, link: string): string {
  const { n, to = n + 1 } = note.place;
  const where = recordsText({ from: n, to });
  return `<li class="c-${note.colour}">${link}<bdi>${escape(title)}</bdi></a> <span class="where">${escape(where)}</span></li>\n`;
}

function itemHtml(item: Item, part: number): string {
  const id = `part-${String(part)}`;
  const blocks = itemBlocks(item).map(blockHtml).join('');
  if (item.kind === 'text') return `<section id="${id}" class="text">\n${blocks}</section>\n`;
  const colour = item.kind === 'note' ? ` c-${item.data.note.colour}` : '';
  return `<section id="${id}" class="${item.kind}${colour}">
<h2><bdi>${escape(item.title)}</bdi></h2>
${blocks}${provenanceHtml(item)}</section>
`;
}

function provenanceHtml({ sources }: Item): string {
  const [first] = sources;
  if (first === undefined) return '';
  const rows = sources.map(
    (source) => `<li><code>${escape(commandText(source))}</code><br>${escape(whereText(source))}</li>\n`,
  );
  return `<details class="from">
<summary>Where this comes from: ${escape(sources.length === 1 ? whereText(first).replace(/^R/, 'r') : `${String(sources.length)} questions to the trace`)}</summary>
<ul>
${rows.join('')}</ul>
</details>
`;
}

function tailHtml(document: ReportDocument): string {
  const blocks: readonly Block[] = madeBlocks(document);
  return `</main>
<footer class="made">
<section id="trace">
<h2>The trace</h2>
${blockHtml({ block: 'facts', rows: identityRows(document) })}</section>
${document.other === undefined ? '' : `<section id="other">\n<h2>The other trace</h2>\n${blockHtml({ block: 'facts', rows: identityRows(document.other) })}</section>\n`}<section id="made">
<h2>How this report was made</h2>
${blocks.map(blockHtml).join('')}</section>
</footer>
`;
}
