/** Changes that the page makes to a report before it is shown in a frame; everything else stays as it is. */
import { expect, test } from 'vitest';
import { STYLE } from '../../electron/engine/report/html/style.ts';
import { previewHtml, previewStyles } from '../../present/text/report-preview.ts';

const REPORT = `<html><head>
<meta name="color-scheme" content="light dark">
<style>
${STYLE}</style></head><body>
<a class="skip" href="#report">Skip</a><a href="#part-2">two</a>
<p>&lt;a href=&quot;#x&quot;&gt; <a href="https://example.org/" target="_blank" rel="noopener noreferrer">out</a></p>
<section id="part-1" class="text"></section><section id="part-2" class="figure c-red"><svg><use href="#clip"/>
<image style="image-rendering: pixelated" href="data:,"/><g style="font-variant-numeric: tabular-nums"></g></svg></section>
<template id="tracebench-report">{"a href=\\"#\\"": "<style>"}</template>
</body></html>`;

test('keeps links inside the framed document', () => {
  const html = previewHtml(REPORT, 'light', 0);
  expect(html).toContain('<a class="skip" href="about:srcdoc#report">');
  expect(html).toContain('<a href="about:srcdoc#part-2">');
  expect(html).toContain('<a href="https://example.org/" target="_blank"');
  expect(html).toContain('&lt;a href=&quot;#x&quot;&gt;');
  expect(html).toContain('<use href="#clip"/>');
});

test("uses only a style that the page's policy allows, and no inline styles", () => {
  for (const theme of ['dark', 'light'] as const) {
    const html = previewHtml(REPORT, theme, 1);
    const style = html.slice(html.indexOf('<style>') + '<style>'.length, html.indexOf('</style>'));
    expect(previewStyles(STYLE)).toContain(style);
    expect(style).not.toContain('prefers-color-scheme');
    expect(html).not.toMatch(/ style="/);
    expect(html).toContain(`<meta name="color-scheme" content="${theme}">`);
  }
  expect(new Set(previewStyles(STYLE)).size).toBe(2);
});

test('marks the selected part and omits data that only verification reads', () => {
  const html = previewHtml(REPORT, 'dark', 2);
  expect(html).toContain('<section id="part-2" class="in-sight figure c-red">');
  expect(html.match(/class="[^"]*in-sight/g)).toHaveLength(1);
  expect(html).not.toContain('<template');
  expect(previewHtml(REPORT, 'dark', 0)).not.toContain('class="in-sight');
});
