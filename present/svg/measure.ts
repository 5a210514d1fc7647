/**
 * Estimates the width of texts. Viewers use other fonts, so the estimate uses DejaVu Sans and DejaVu Sans Mono, which are wider than
 * most system fonts: a text that fits here also fits there.
 */
import { visible } from '../../shared/base/visible.ts';

export type Face = 'sans' | 'bold' | 'mono';

/** Width in pixels for a font of `size` pixels. */
export function widthOf(text: string, size: number, face: Face): number {
  let units = 0;
  for (const character of text) units += unitsOf(character, face);
  return (units * size) / 1000;
}

/** Shortens a text to the available width with an ellipsis at its end; empty if not even three characters fit. */
export function fitted(whole: string, room: number, size: number, face: Face): string {
  const text = visible(whole);
  if (widthOf(text, size, face) <= room) return text;
  const left = room - widthOf('…', size, face);
  let width = 0;
  let kept = '';
  let characters = 0;
  for (const character of text) {
    width += widthOf(character, size, face);
    if (width > left) break;
    kept += character;
    characters += 1;
  }
  return characters < 2 ? '' : `${kept.trimEnd()}…`;
}

/** Shortens a text in its middle, because both ends of a symbol are more informative. */
export function fittedEnds(whole: string, room: number, size: number, face: Face): string {
  const text = visible(whole);
  if (widthOf(text, size, face) <= room) return text;
  const characters = Array.from(text);
  for (let kept = characters.length - 1; kept > 3; kept -= 1) {
    const tail = Math.floor(kept / 2);
    const cut = `${characters.slice(0, kept - tail).join('')}…${characters.slice(-tail).join('')}`;
    if (widthOf(cut, size, face) <= room) return cut;
  }
  return fitted(text, room, size, face);
}

const MONO = 602;
const WIDE = 1000;
const OTHER = 680;
const BOLDER = 1.13;

function unitsOf(character: string, face: Face): number {
  const code = character.codePointAt(0)!;
  if (code >= FIRST_MARK && isMark.test(character)) return 0;
  if (isWide(code)) return face === 'mono' ? 2 * MONO : WIDE;
  if (face === 'mono') return MONO;
  const units = code >= 0x20 && code < 0x7f ? SANS[code - 0x20]! : OTHER;
  return face === 'bold' ? units * BOLDER : units;
}

const isMark = /^\p{M}$/u;
const FIRST_MARK = 0x300;

/** Scripts whose characters fill a square. */
function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}

/** Advances of DejaVu Sans from the blank to the tilde, in thousandths of its size (its table hmtx). */
const SANS: readonly number[] = [
  318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
  636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
  748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
  615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
  337, 636, 838,
];
