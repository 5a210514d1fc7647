/** Figures of the change from one run to another. */
import type { FigureRequest } from '../../../shared/report/plan.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { Context } from '../command.ts';
import { writeFigure, type FigureForm, type FigureLook } from '../figure-file.ts';
import { withSides, type AgainstValues } from './options.ts';

/** Draws the change to a file. */
export function drawAgainst(
  context: Context,
  against: string,
  given: AgainstValues,
  figure: FigureRequest,
  look: FigureLook & { readonly path: string; readonly form: FigureForm },
): Promise<Result<void>> {
  return withSides(context, against, given, ({ a, b, shift }) =>
    writeFigure(context, a, figure, look, { trace: b.id, shift }),
  );
}
