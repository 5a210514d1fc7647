/** Marks of notes on charts: a flag at the top edge where a note begins, a bar over its range, and a frame around its addresses. */
import type { Note, NoteColour } from '../../shared/requests/notes.ts';

export interface NoteMark {
  readonly note: Note;
  /** Distance in pixels from the chart's left edge to the middle of the note's first record. */
  readonly x: number;
  /** Width of the note's range in pixels; 0 for a single record. */
  readonly width: number;
  /** Vertical extent of the note's addresses; absent if it has none or the chart has no address axis. */
  readonly across?: { readonly top: number; readonly height: number };
}

/** Scales of a chart: pixels of a record, and of an address span if the chart has an address axis. */
export interface NoteScale {
  /** Width of the chart. */
  readonly width: number;
  readonly x: (n: number) => number;
  readonly y?: (low: bigint, bytes: number) => { readonly top: number; readonly height: number } | undefined;
}

/** Returns the marks of visible notes, in their order. */
export function placeNotes(notes: readonly Note[], scale: NoteScale): readonly NoteMark[] {
  return notes.flatMap((note): readonly NoteMark[] => {
    const { n, to, address, length } = note.place;
    const x = scale.x(n);
    const end = to === undefined ? x : scale.x(to);
    if (end < 0 || x > scale.width) return [];
    const across = address === undefined ? undefined : scale.y?.(BigInt(address), length ?? 1);
    return [{ note, x, width: end - x, ...(across && { across }) }];
  });
}

/** Half the width of a flag; FLAG is its height. */
const HALF = 4;
export const FLAG = 10;
/** Above this number of marks, lines and frames are not drawn, because they would hide the chart. */
const MOST_LINES = 300;
/** Smallest distance between flags in pixels: of closer flags only the first is drawn. */
const CLOSEST = 3;
/** Smallest side of a frame in pixels, and the smallest if there are many marks. */
const FRAME = 9;
const DOT = 2;

export function drawNoteMarks(
  context: CanvasRenderingContext2D,
  marks: readonly NoteMark[],
  chosen: string | null,
  height: number,
  colour: (name: NoteColour) => string,
  ground: string,
): void {
  const isCrowded = marks.length > MOST_LINES;
  for (const mark of marks) drawReach(context, mark, mark.note.id === chosen, isCrowded, height, colour);
  // Flags are drawn over all lines.
  for (const mark of spread(marks, chosen)) {
    drawFlag(context, mark.x, mark.note.id === chosen ? HALF + 1 : HALF);
    context.fillStyle = colour(mark.note.colour);
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = ground;
    context.stroke();
  }
}

function drawReach(
  context: CanvasRenderingContext2D,
  { note, x, width, across }: NoteMark,
  isChosen: boolean,
  isCrowded: boolean,
  height: number,
  colour: (name: NoteColour) => string,
): void {
  if (isCrowded && !isChosen && width === 0 && !across) return;
  context.fillStyle = colour(note.colour);
  if (isChosen || !isCrowded) {
    context.globalAlpha = isChosen ? 0.95 : 0.5;
    context.fillRect(Math.round(x) - 0.5, FLAG - 2, isChosen ? 1.5 : 1, height - FLAG + 2);
  }
  if (width > 0) {
    context.globalAlpha = isChosen || !isCrowded ? 0.14 : 0.05;
    context.fillRect(x, 0, width, height);
    context.globalAlpha = 1;
    context.fillRect(x, 0, Math.max(1, width), 2);
  }
  context.globalAlpha = 1;
  if (!across) return;
  const least = isCrowded && !isChosen ? DOT : FRAME;
  const wide = Math.max(width, least);
  const high = Math.max(across.height, least);
  const left = x - (width > 0 ? 0 : wide / 2);
  const top = across.top - (high - across.height) / 2;
  if (isCrowded && !isChosen) context.fillRect(left, top, wide, Math.min(high, DOT));
  else {
    context.strokeStyle = colour(note.colour);
    context.lineWidth = isChosen ? 2 : 1.25;
    context.strokeRect(left, top, wide, high);
  }
}

function drawFlag(context: CanvasRenderingContext2D, x: number, half: number): void {
  context.beginPath();
  context.moveTo(x - half, 0);
  context.lineTo(x + half, 0);
  context.lineTo(x + half, FLAG);
  context.lineTo(x, FLAG - 3);
  context.lineTo(x - half, FLAG);
  context.closePath();
}

/** Returns the marks from left to right, without marks that would overlap. The chosen mark is always included, last. */
function spread(marks: readonly NoteMark[], chosen: string | null): readonly NoteMark[] {
  const drawn: NoteMark[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const mark of marks.toSorted((a, b) => a.x - b.x)) {
    if (mark.x - last < CLOSEST || mark.note.id === chosen) continue;
    drawn.push(mark);
    last = mark.x;
  }
  const own = marks.find(({ note }) => note.id === chosen);
  return own ? [...drawn, own] : drawn;
}

/** Returns the mark whose flag is at a point or near it. */
export function noteAt(marks: readonly NoteMark[], x: number, y: number): NoteMark | undefined {
  if (y > FLAG + REACH) return undefined;
  let best: NoteMark | undefined;
  let nearest = HALF + REACH;
  for (const mark of marks) {
    const far = Math.abs(mark.x - x);
    if (far <= nearest) {
      nearest = far;
      best = mark;
    }
  }
  return best;
}

const REACH = 2;
