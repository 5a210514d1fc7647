/** Charts as files: shared options of the commands that draw, and writing the file. */
import { extname } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { CANCELLED } from '../../shared/requests/failures.ts';
import type { FigureRequest } from '../../shared/report/plan.ts';
import type { FigureArguments } from '../../shared/requests/reports.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import { resultPlace, writeWholeFile } from '../result-file.ts';
import type { Context } from './command.ts';
import { bytes } from '../../shared/base/numbers.ts';
import { oneOf, path as pathOption, word, type Values } from './options/options.ts';
import { filesRead, type OpenTrace } from './trace.ts';

export const figureOptions = {
  scale: oneOf('1|2', 'pixels of a PNG per pixel of the figure, 1 by default', ['1', '2']),
  theme: oneOf('light|dark', 'colours of the figure, light by default', ['light', 'dark']),
  title: word('T', 'title of the figure, the name of the trace by default', 'a text'),
};

/** Options of commands that draw only with -o. */
export const drawOptions = {
  output: pathOption('FILE', 'draw a figure to this file: .svg or .png', 'o'),
  ...figureOptions,
};

export type FigureForm = 'svg' | 'png';

/** Returns the form by the file extension, or undefined if it is not that of a figure. */
export function figureForm(path: string): FigureForm | undefined {
  const ending = extname(path).toLowerCase();
  return ending === '.svg' ? 'svg' : ending === '.png' ? 'png' : undefined;
}

/** Checks the output of a command that writes only figures, before a long trace is indexed. */
export async function figurePlace(context: Context, output: string): Promise<Result<FigureForm>> {
  const form = figureForm(output);
  if (form === undefined)
    return fail('usage', `${context.command}: --output must end in .svg or .png, not '${output}'`);
  const place = await resultPlace(output, filesRead(context));
  return place.ok ? ok(form) : place;
}

export type FigureLook = Values<typeof figureOptions>;

/** Draws a figure and writes it. `against`: the figure shows the change to another trace. */
export async function writeFigure(
  context: Context,
  trace: OpenTrace,
  figure: FigureRequest,
  { path, form, scale, theme, title }: { readonly path: string; readonly form: FigureForm } & FigureLook,
  against?: FigureArguments['against'],
): Promise<Result<void>> {
  const drawn = await trace.request('figure', {
    trace: trace.id,
    figure,
    as: form,
    ...(scale !== undefined && { scale: scale === '2' ? 2 : 1 }),
    ...(theme !== undefined && { theme }),
    ...(title !== undefined && { title }),
    ...(against !== undefined && { against }),
  });
  context.progress.clear();
  return drawn.ok ? writeResult(context, drawn.value.bytes, path) : drawn;
}

/** Writes a whole file and prints its name and size. `files`: it replaces none of these. */
export async function writeResult(
  context: Context,
  data: Uint8Array,
  path: string,
  files = filesRead(context),
): Promise<Result<void>> {
  const { common, out, signal } = context;
  const made = async (unfinished: string) => {
    await writeFile(unfinished, data, { flag: 'wx' });
    return signal.aborted ? fail(CANCELLED, 'interrupted') : ok(undefined);
  };
  const written = await writeWholeFile(path, made, files);
  if (!written.ok) return written;
  await (common.json ? out.json({ path, bytes: data.length }) : out.write(`${path}: ${bytes(data.length)}\n`));
  return ok(undefined);
}
