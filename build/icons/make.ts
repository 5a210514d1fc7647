// Draws the program's icon and writes it in the three shapes the systems want: `node build/icons/make.ts`.
// The results are kept beside this file; it runs again only when the drawing changes.
//
// The picture is what the program shows: addresses upwards, time to the right, a warm loop, a stack, a cold start,
// and the cursor.
import { writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { findBrowser } from '../setup/browser.mjs';

/** Heat of each cell, rows from high to low addresses, `.` is untouched. */
const cells = ['2346543', '3......', '.....24', '..69...', '..8969.', '.5..86.', '47.....'];
const colours = [
  '#3b1f6b',
  '#5a2483',
  '#7d2a88',
  '#a33582',
  '#c84474',
  '#e65d5f',
  '#f8834b',
  '#fdb04a',
  '#fde07a',
  '#fffbd1',
];

const here = (name: string): URL => new URL(name, import.meta.url);
const svg = drawing();
writeFileSync(here('icon.svg'), svg);

const found = findBrowser();
if ('reason' in found) throw new Error(found.reason);
const browser = await chromium.launch({
  executablePath: found.path,
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage();
const pictures = new Map<number, Buffer>();
for (const size of [16, 32, 48, 64, 128, 256, 512]) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
  pictures.set(size, await page.screenshot({ omitBackground: true }));
}
await browser.close();
writeFileSync(here('icon.png'), picture(512));
writeFileSync(here('icon.ico'), ico([16, 32, 48, 64, 128, 256]));
writeFileSync(
  here('icon.icns'),
  icns([
    ['icp4', 16],
    ['icp5', 32],
    ['ic07', 128],
    ['ic08', 256],
    ['ic09', 512],
  ]),
);

function drawing(): string {
  const rows = cells.flatMap((row, y) => Array.from(row, (heat, x) => ({ x: 92 + x * 48, y: 92 + y * 48, heat })));
  const marks = rows.map(({ x, y, heat }) => {
    const fill = heat === '.' ? '#20243a' : colours[Number(heat)]!;
    return `<rect x="${x}" y="${y}" width="42" height="42" rx="7" fill="${fill}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">
<rect x="24" y="24" width="464" height="464" rx="104" fill="#12141f"/>
${marks.join('\n')}
<path d="M329 64V448" stroke="#8fd3ff" stroke-width="9" stroke-linecap="round"/>
</svg>
`;
}

function picture(size: number): Buffer {
  const found = pictures.get(size);
  if (!found) throw new Error(`no picture of ${size} pixels was drawn`);
  return found;
}

/** Windows: a directory of PNG pictures; a size of 256 is written as 0. */
function ico(sizes: readonly number[]): Buffer {
  const head = Buffer.alloc(6 + 16 * sizes.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(sizes.length, 4);
  let offset = head.length;
  sizes.forEach((size, index) => {
    const entry = 6 + 16 * index;
    head.writeUInt8(size % 256, entry);
    head.writeUInt8(size % 256, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(picture(size).length, entry + 8);
    head.writeUInt32LE(offset, entry + 12);
    offset += picture(size).length;
  });
  return Buffer.concat([head, ...sizes.map(picture)]);
}

/** macOS: tagged PNG pictures, lengths big-endian and counting their own head. */
function icns(parts: readonly (readonly [tag: string, size: number])[]): Buffer {
  const tagged = (tag: string, content: Buffer): Buffer => {
    const head = Buffer.from(`${tag}    `);
    head.writeUInt32BE(8 + content.length, 4);
    return Buffer.concat([head, content]);
  };
  return tagged('icns', Buffer.concat(parts.map(([tag, size]) => tagged(tag, picture(size)))));
}
