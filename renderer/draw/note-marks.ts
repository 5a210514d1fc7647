/** Notes on charts: a small flag at the upper edge where each begins, a bar over its range, and a frame around its addresses. */
import type { Note, NoteColour } from '../../shared/notes.ts';

export interface NoteMark {
  readonly note: Note;
  /** Pixels from the left edge of the chart to the middle of its first record. */
  readonly x: number;
  /** Pixels that its range takes; 0 for a single record. */
  readonly width: number;
  /** Where its addresses are; absent where it has none, or the chart no axis for them. */
  readonly across?: { readonly top: number; readonly height: number };
}

/** What places notes: pixels of a record, and of an address span where the chart has an axis for them. */
export interface NoteScale {
  /** Of the chart. */
  readonly width: number;
  readonly x: (n: number) => number;
  readonly y?: (low: bigint, bytes: number) => { readonly top: number; readonly height: number } | undefined;
}

/** Those in sight, in their order. */
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

/** Half the width of a flag, and its height. */
const HALF = 4;
export const FLAG = 10;
/** Lines down the chart would hide it where there are more. */
const MOST_LINES = 300;

export function drawNoteMarks(
  context: CanvasRenderingContext2D,
  marks: readonly NoteMark[],
  chosen: string | null,
  height: number,
  colour: (name: NoteColour) => string,
  ground: string,
): void {
  for (const { note, x, width, across } of marks) {
    const own = note.id === chosen;
    context.fillStyle = colour(note.colour);
    context.strokeStyle = colour(note.colour);
    if (own || marks.length <= MOST_LINES) {
      context.globalAlpha = own ? 0.95 : 0.5;
      context.fillRect(Math.round(x) - 0.5, FLAG - 2, own ? 1.5 : 1, height - FLAG + 2);
      context.globalAlpha = 1;
    }
    if (width > 0) {
      context.globalAlpha = 0.14;
      context.fillRect(x, 0, width, height);
      context.globalAlpha = 1;
      context.fillRect(x, 0, Math.max(1, width), 2);
    }
    if (across) {
      context.lineWidth = own ? 2 : 1.25;
      const wide = Math.max(width, 9);
      const high = Math.max(across.height, 9);
      context.strokeRect(x - (width > 0 ? 0 : wide / 2), across.top - (high - across.height) / 2, wide, high);
    }
  }
  // Flags stand on all lines.
  for (const { note, x } of marks) {
    const half = note.id === chosen ? HALF + 1 : HALF;
    context.beginPath();
    context.moveTo(x - half, 0);
    context.lineTo(x + half, 0);
    context.lineTo(x + half, FLAG);
    context.lineTo(x, FLAG - 3);
    context.lineTo(x - half, FLAG);
    context.closePath();
    context.fillStyle = colour(note.colour);
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = ground;
    context.stroke();
  }
}

/** The note whose flag is at a point, or nearest in reach of a hand; the last drawn of several. */
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
