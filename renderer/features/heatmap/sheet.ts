/** The cells of a heatmap as a picture of its own, painted again for every window: the buffers are kept between paintings. */
import type { AddressAxis } from '../../../present/base/axis.ts';
import { clearLevels, colourLevels, paintLevels, type HeatImage, type HeatWindow } from '../../../present/heat/heat.ts';

export interface Sheet {
  /**
   * Paints `images`, coarse ones first, into a chart of width x height CSS pixels; each later image replaces what stands
   * in its stretch of time.
   */
  readonly paint: (
    context: CanvasRenderingContext2D,
    images: readonly HeatImage[],
    axis: AddressAxis,
    window: HeatWindow,
    size: { readonly width: number; readonly height: number; readonly ratio: number },
    palette: Uint32Array,
  ) => void;
}

/** CSS pixels that a lone cell has at least. */
const LEAST = 1.5;

export function createSheet(): Sheet {
  const canvas = document.createElement('canvas');
  const own = canvas.getContext('2d');
  let levels = { width: 0, height: 0, data: new Uint8Array() };
  let pixels = new ImageData(1, 1);

  return {
    paint(context, images, axis, window, size, palette) {
      const width = Math.round(size.width * size.ratio);
      const height = Math.round(size.height * size.ratio);
      if (levels.width !== width || levels.height !== height) {
        levels = { width, height, data: new Uint8Array(width * height) };
        pixels = new ImageData(width, height);
        canvas.width = width;
        canvas.height = height;
      }
      levels.data.fill(0);
      const least = Math.max(1, Math.round(LEAST * size.ratio));
      for (const [index, image] of images.entries()) {
        if (index > 0) clearLevels(levels, image.edges[0] ?? 0, image.edges[image.columns] ?? 0, window);
        paintLevels(levels, image, axis, window, least);
      }
      colourLevels(levels, palette, new Uint32Array(pixels.data.buffer));
      own?.putImageData(pixels, 0, 0);
      context.drawImage(canvas, 0, 0, size.width, size.height);
    },
  };
}

/** True if an image holds every record of [from, to). */
export function covers(image: HeatImage, from: number, to: number): boolean {
  return (image.edges[0] ?? 0) <= from && (image.edges[image.columns] ?? 0) >= to;
}
