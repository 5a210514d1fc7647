/** Makes the files of a report, one report at a time, with progress and cancellation. */
import type { Client } from '../../../shared/requests/requests.ts';
import type { FigureFile, PaperSize, ReportForm, ReportProgress } from '../../../shared/requests/reports.ts';
import type { ReportPlan } from '../../../shared/report/plan.ts';
import type { Result } from '../../../shared/base/result.ts';

export interface ReportMaking {
  /** Progress of the running report; null if none is running. */
  readonly progress: MakingProgress | null;
  /** Returns null if it was cancelled, or if there is nothing to make. */
  readonly make: (as: ReportForm, options: MakeOptions) => Promise<Result<readonly FigureFile[]> | null>;
  readonly cancel: () => void;
}

export interface MakingProgress {
  /** Completed fraction, 0 to 1. */
  readonly done: number;
  readonly what: string;
}

export interface MakeOptions {
  readonly name: string;
  readonly sha256: boolean;
  /** Paper size of a PDF. */
  readonly paper?: PaperSize;
}

export function createReportMaking(
  client: Client,
  wanted: () => {
    readonly trace: string;
    readonly plan: ReportPlan | null;
    /** Argument that names the other trace, or why it cannot be named. */
    readonly about: Result<{ readonly other?: string }> | null;
  },
): ReportMaking {
  let progress = $state.raw<MakingProgress | null>(null);
  let controller: AbortController | undefined;

  function cancel(): void {
    controller?.abort();
    controller = undefined;
    progress = null;
  }

  return {
    get progress() {
      return progress;
    },
    async make(as, { name, sha256, paper }) {
      const { trace, plan, about } = wanted();
      if (!plan || !about) return null;
      if (!about.ok) return about;
      cancel();
      const own = new AbortController();
      controller = own;
      progress = { done: 0, what: '' };
      const result = await client.request(
        'report',
        { trace, ...about.value, plan: { ...plan, sha256 }, as, name, ...(paper && { paper }) },
        {
          signal: own.signal,
          onEvent: ({ done, of, what }: ReportProgress) => {
            if (controller === own) progress = { done: Math.min(1, done / Math.max(1, of)), what };
          },
        },
      );
      if (controller !== own) return null;
      controller = undefined;
      progress = null;
      return result.ok ? { ok: true, value: result.value.files } : result;
    },
    cancel,
  };
}
