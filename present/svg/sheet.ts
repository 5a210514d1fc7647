/**
 * The page around every figure: title and subtitle above the chart, notes below it, and a description for readers who cannot see it.
 * Bodies are drawn starting at (0, 0) over the whole width.
 */
import type { Figure } from './figure.ts';
import type { Look } from './look.ts';
import { fittedEnds, widthOf, type Face } from './measure.ts';
import { element, escaped as words } from './svg.ts';
import { CHART_COLOURS } from '../base/theme.ts';

export interface Contents {
  readonly look: Look;
  /** Default title: `Heatmap of sort.byu`. */
  readonly title: string;
  /** Short summary of the content, in parts, under the title. */
  readonly shown: readonly string[];
  /** Sentences that are needed to read the chart, under the chart. */
  readonly notes: readonly string[];
  /** Description in words. */
  readonly description: string;
  readonly width: number;
  /** Height of the body. */
  readonly height: number;
  readonly body: string;
  /** Colour key beside the title, `KEY_WIDTH` wide, aligned to the right margin; drawn starting at (0, 0). */
  readonly key?: string;
}

export const SHEET_MARGIN = 24;
export const SHEET_WIDTH = 960;
export const KEY_WIDTH = 200;
const SANS = 'system-ui, Segoe UI, Helvetica Neue, DejaVu Sans, Liberation Sans, Arial, sans-serif';
export const MONO = 'ui-monospace, SF Mono, Menlo, Consolas, DejaVu Sans Mono, monospace';

const TITLE = 17;
const SHOWN = 12;
const NOTE = 11;
const HEAD = 74;
/** Height of the head without a title, if there is no colour key beside it. */
const SHORT_HEAD = 54;
const TITLE_LINE = 20;
const NOTE_LINE = 16;

export function onSheet(contents: Contents): Figure {
  const { look, width, notes, description, body } = contents;
  const colours = CHART_COLOURS[look.theme];
  const room = width - 2 * SHEET_MARGIN;
  const beside = room - (contents.key === undefined ? 0 : KEY_WIDTH + SHEET_MARGIN);
  const title = look.title ?? contents.title;
  const shown = contents.shown.join('  ·  ');
  const lines = notes.flatMap((note) => wrapped(note, room, NOTE, 'sans'));
  const { isTitled = true } = look;
  const head = isTitled || contents.key !== undefined ? HEAD : SHORT_HEAD;
  const bottom = head + contents.height;
  const height = Math.ceil(bottom + (lines.length > 0 ? 10 + lines.length * NOTE_LINE : 0) + SHEET_MARGIN - 6);
  const svg = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'font-family': SANS,
      'font-size': NOTE,
    },
    `\n${element('title', {}, words(title))}`,
    `\n${element('desc', {}, words(description))}`,
    `\n${element('rect', { width, height, fill: colours.ground })}`,
    isTitled
      ? `\n${text(fittedEnds(title, beside, TITLE, 'bold'), { x: SHEET_MARGIN, y: SHEET_MARGIN + 15, 'font-size': TITLE, 'font-weight': 'bold', fill: colours.text })}`
      : '',
    `\n${text(fittedEnds(shown, beside, SHOWN, 'sans'), { x: SHEET_MARGIN, y: SHEET_MARGIN + (isTitled ? 15 + TITLE_LINE : 15), 'font-size': SHOWN, fill: colours.text2 })}`,
    contents.key === undefined
      ? ''
      : `\n${element('g', { transform: `translate(${width - SHEET_MARGIN - KEY_WIDTH} ${SHEET_MARGIN})` }, contents.key)}`,
    `\n${element('g', { transform: `translate(0 ${head})` }, body)}`,
    ...lines.map(
      (line, at) =>
        `\n${text(line, { x: SHEET_MARGIN, y: bottom + 10 + NOTE_LINE * (at + 1) - 4, fill: colours.text3 })}`,
    ),
    '\n',
  );
  return { svg: `${svg}\n`, width, height, title, description };
}

/** A text on one line. */
export function text(content: string, attributes: Parameters<typeof element>[1]): string {
  return content === '' ? '' : element('text', attributes, words(content));
}

/** Breaks a sentence into lines that fit the available width. */
function wrapped(sentence: string, room: number, size: number, face: Face): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sentence.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer, size, face) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((one) => fittedEnds(one, room, size, face));
}
