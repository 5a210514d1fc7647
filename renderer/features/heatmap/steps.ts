/** Steps of a value on the heatmap: a diamond at the address of the instruction, and at the memory that it defined. */
import type { WhyStep } from '../../../shared/requests/why.ts';
import { positionOf, type AddressAxis } from '../../../present/base/axis.ts';
import { drawDiamond } from '../../widgets/diamond.ts';
import { xOf, yOf, type Frame } from './frame.ts';

export interface StepMark {
  readonly x: number;
  readonly y: number;
}

/** Half the width of a mark, and the smallest distance of two marks, in CSS pixels. */
const HALF = 4;
const CLOSEST = 3;

/** Returns the marks inside the frame, of those that would cover one another only the youngest. */
export function placeSteps(steps: readonly WhyStep[], axis: AddressAxis, frame: Frame): readonly StepMark[] {
  const taken = new Set<string>();
  return steps.flatMap(({ n, address, defines }) => {
    const memory = defines.flatMap((bytes) => ('address' in bytes ? [bytes.address] : []));
    return [...(address === undefined ? [] : [address]), ...memory].flatMap((place): readonly StepMark[] => {
      const position = positionOf(axis, BigInt(place));
      if (position === undefined) return [];
      const mark = { x: xOf(frame, n + 0.5), y: yOf(frame, position) };
      if (mark.x < 0 || mark.x > frame.width || mark.y < 0 || mark.y > frame.height) return [];
      const cell = `${Math.round(mark.x / CLOSEST)} ${Math.round(mark.y / CLOSEST)}`;
      if (taken.has(cell)) return [];
      taken.add(cell);
      return [mark];
    });
  });
}

export function drawSteps(
  context: CanvasRenderingContext2D,
  marks: readonly StepMark[],
  { text, chart }: { readonly text: string; readonly chart: string },
): void {
  // An outline in the colour of the ground separates a mark from bright and dark cells.
  context.lineWidth = 3;
  for (const { x, y } of marks) {
    drawDiamond(context, x, y, HALF);
    context.fillStyle = text;
    context.strokeStyle = chart;
    context.stroke();
    context.fill();
  }
}
