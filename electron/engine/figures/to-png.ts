/**
 * Converts SVG to PNG with resvg and bundled fonts, so every machine produces the same picture without a display. Characters missing in
 * DejaVu appear as boxes.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Resvg } from '@resvg/resvg-wasm';

interface Renderer {
  readonly Resvg: typeof Resvg;
  readonly fonts: readonly Uint8Array[];
}

let loading: Promise<Renderer> | undefined;

/** @param scale pixels of the picture per pixel of the figure */
export async function toPng(svg: string, scale: 1 | 2): Promise<Uint8Array> {
  // Shared by all traces of this thread: it holds no state of a trace, and WebAssembly is set up once.
  loading ??= load();
  const { Resvg: Renderer, fonts } = await loading;
  const drawing = new Renderer(svg, {
    fitTo: { mode: 'zoom', value: scale },
    imageRendering: SHARP,
    font: {
      fontBuffers: [...fonts],
      defaultFontFamily: 'DejaVu Sans',
      sansSerifFamily: 'DejaVu Sans',
      monospaceFamily: 'DejaVu Sans Mono',
    },
  });
  try {
    const picture = drawing.render();
    try {
      return picture.asPng();
    } finally {
      picture.free();
    }
  } finally {
    drawing.free();
  }
}

/** Image rendering without smoothing, for the cells of heatmaps. */
const SHARP = 1;
const FONTS = ['DejaVuSans', 'DejaVuSans-Bold', 'DejaVuSansMono', 'DejaVuSansMono-Bold'] as const;

async function load(): Promise<Renderer> {
  const find = createRequire(import.meta.url);
  const [{ initWasm, Resvg: Renderer }, code, ...fonts] = await Promise.all([
    import('@resvg/resvg-wasm'),
    readFile(find.resolve('@resvg/resvg-wasm/index_bg.wasm')),
    ...FONTS.map((font) => readFile(find.resolve(`dejavu-fonts-ttf/ttf/${font}.ttf`))),
  ]);
  await initWasm(code);
  return { Resvg: Renderer, fonts };
}
