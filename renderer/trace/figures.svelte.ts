/** Draws charts of a trace as files. The engine draws them, as for reports and the command line, one at a time. */
import type { Client } from '../../shared/requests/requests.ts';
import type { FigureFile } from '../../shared/requests/reports.ts';
import type { FigureRequest } from '../../shared/report/plan.ts';

export const FIGURE_FORMS = ['SVG', 'PNG', 'PNG, twice as large'] as const;
export type FigureForm = (typeof FIGURE_FORMS)[number];

export interface Figures {
  readonly busy: boolean;
  /** Returns the file, or undefined after saying why there is none. */
  readonly draw: (request: FigureRequest, form: FigureForm, theme: 'dark' | 'light') => Promise<FigureFile | undefined>;
  /** Cancels the drawing. */
  readonly stop: () => void;
}

export function createFigures(client: Client, trace: string, say: (text: string) => void): Figures {
  let drawing = $state.raw<AbortController | null>(null);
  return {
    get busy() {
      return drawing !== null;
    },
    async draw(figure, form, theme) {
      drawing?.abort();
      const own = new AbortController();
      drawing = own;
      const args = { trace, figure, theme, ...FORMS[form] };
      const answer = await client.request('figure', args, { signal: own.signal });
      if (drawing === own) drawing = null;
      if (answer.ok) return answer.value;
      if (!own.signal.aborted) say(`The figure could not be drawn. ${answer.error.message}`);
      return undefined;
    },
    stop: () => drawing?.abort(),
  };
}

const FORMS: Readonly<Record<FigureForm, { readonly as: 'svg' | 'png'; readonly scale?: 1 | 2 }>> = {
  SVG: { as: 'svg' },
  PNG: { as: 'png' },
  'PNG, twice as large': { as: 'png', scale: 2 },
};
