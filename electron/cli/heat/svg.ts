/** A figure as SVG: axes, labels and legend as vectors, the cells as an image inside it. */
import { PNG } from 'pngjs';
import { CHARACTER } from './figure.ts';
import type { Figure, Raster, Text } from './figure.ts';

export function toSvg(figure: Figure): Uint8Array {
  const { width, height } = figure;
  const lines = figure.lines.map(({ x1, y1, x2, y2 }) => `M${x1} ${y1}L${x2} ${y2}`).join('');
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...figure.rasters.map(image),
    // Lines of odd width are sharp when they run through the middle of pixels.
    `<path d="${lines}" transform="translate(0.5 0.5)" fill="none" stroke="#555"/>`,
    `<g fill="#222" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${CHARACTER.height}">`,
    ...figure.texts.map(label),
    '</g>',
    '</svg>',
    '',
  ];
  return new TextEncoder().encode(parts.join('\n'));
}

function image({ x, y, width, height, columns, rows, pixels }: Raster): string {
  if (columns === 0 || rows === 0) return '';
  const png = new PNG({ width: columns, height: rows });
  png.data.set(pixels);
  const data = PNG.sync.write(png).toString('base64');
  return (
    `<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" ` +
    `style="image-rendering: pixelated" href="data:image/png;base64,${data}"/>`
  );
}

function label({ text, x, y, anchor, weight }: Text): string {
  const bold = weight === 'bold' ? ' font-weight="bold"' : '';
  return `<text x="${x}" y="${y}" dy="0.35em" text-anchor="${anchor}"${bold}>${escape(text)}</text>`;
}

function escape(text: string): string {
  // Control characters have no place in XML, not even escaped.
  const printable = text.replace(/\p{Cc}/gu, '\u00b7');
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
