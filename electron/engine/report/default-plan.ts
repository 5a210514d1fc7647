/** What a report has unless somebody says otherwise. */
import { basename } from 'node:path';
import type { ReportPart, ReportPlan } from '../../../shared/report.ts';
import { ok, type Result } from '../../../shared/result.ts';
import type { Trace } from '../trace.ts';

export function defaultPlan(trace: Trace): Promise<Result<ReportPlan>> {
  const hasFlow = trace.reader.decoder.flow !== undefined;
  const parts: ReportPart[] = [
    { kind: 'summary' },
    ...(hasFlow
      ? ([
          { kind: 'table', table: 'functions' },
          { kind: 'table', table: 'branches' },
        ] as const)
      : [{ kind: 'table', table: 'pages' } as const]),
    { kind: 'diagnostics' },
  ];
  return Promise.resolve(ok({ title: basename(trace.file.path), parts }));
}
