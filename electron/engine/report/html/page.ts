/**
 * Writes a report as one HTML file without scripts. Its policy blocks scripts and all fetching. Parts are enclosed in marker comments, so
 * that `verify` can identify a changed part. The data follows all parts as JSON in a template, which browsers do not show.
 */
import { bytes, counted } from '../../../../shared/base/numbers.ts';
import type { Block } from '../blocks.ts';
import type { Item, ReportDocument } from '../document.ts';
import { itemBlocks } from '../item-blocks.ts';
import { identityRows, madeBlocks } from '../made.ts';
import type { Pieces } from '../pieces.ts';
import { commandText, whereText } from '../provenance.ts';
import { steady, visible } from '../../../../shared/base/visible.ts';
import { timeText } from '../words.ts';
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
  const { trace, made, plan } = document;
  const title = steady(plan.title);
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
<p class="under"><bdi>${escape(visible(trace.name))}</bdi> · ${escape(bytes(trace.bytes))} · ${escape(trace.format.name)} · ${counted(trace.records, 'record')} · made ${escape(timeText(made))}</p>
${blockHtml({ block: 'facts', rows: identityRows(document) })}</header>
${contentsHtml(document.items)}<main id="report">
`;
}

function contentsHtml(items: readonly Item[]): string {
  const entries = items.flatMap((item, i) =>
    item.title === '' ? [] : [`<li><a href="#part-${String(i + 1)}"><bdi>${escape(item.title)}</bdi></a></li>\n`],
  );
  return `<nav class="contents" aria-labelledby="contents">
<h2 id="contents">Contents</h2>
<ol>
${entries.join('')}<li><a href="#made">How this report was made</a></li>
</ol>
</nav>
`;
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
<footer id="made" class="made">
<h2>How this report was made</h2>
${blocks.map(blockHtml).join('')}</footer>
`;
}
