/** From places on a heatmap in pixels to places in the trace, and back. */
import { nearestEnd, nearestPosition, type AddressAxis } from '../../../present/base/axis.ts';
import type { HeatWindow } from '../../../present/heat/heat.ts';

export interface Frame extends HeatWindow {
  readonly width: number;
  readonly height: number;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function xOf(frame: Frame, n: number): number {
  return ((n - frame.from) / (frame.to - frame.from)) * frame.width;
}

export function yOf(frame: Frame, position: number): number {
  return ((frame.top - position) / (frame.top - frame.bottom)) * frame.height;
}

/** The record at a place, held inside the frame. */
export function recordAt(frame: Frame, x: number): number {
  const n = Math.floor(frame.from + (x / frame.width) * (frame.to - frame.from));
  return Math.min(Math.max(0, Math.ceil(frame.to) - 1), Math.max(0, n));
}

/** The position on the address axis at a place, 0 to 1. */
export function positionAt(frame: Frame, y: number): number {
  return Math.min(1, Math.max(0, frame.top - (y / frame.height) * (frame.top - frame.bottom)));
}

/** The box of records [from, to) and addresses [low, high), never thinner than a pixel. */
export function boxOf(
  frame: Frame,
  axis: AddressAxis,
  cell: { readonly from: number; readonly to: number; readonly low: bigint; readonly high: bigint },
): Box {
  const left = xOf(frame, cell.from);
  const top = yOf(frame, nearestEnd(axis, cell.high));
  const right = xOf(frame, cell.to);
  const bottom = yOf(frame, nearestPosition(axis, cell.low));
  return { left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
}
