/** `records`: prints records. */
import { ok } from '../../../shared/base/result.ts';
import { record } from '../../../shared/requests/schema.ts';
import { command } from '../command.ts';
import { number, recordNumber } from '../options/options.ts';
import { recordPrinter } from '../print/record-lines.ts';
import { withTrace } from '../trace.ts';

export const records = command({
  name: 'records',
  text: 'Records in file order; JSON Lines with --json',
  trace: 'needed',
  options: {
    from: recordNumber('the first record, 0 by default'),
    count: number('K', record, 'how many, 100 by default'),
  },
  run: (context, { from = 0, count = 100 }) =>
    withTrace(context, async (trace) => {
      const end = Math.min(Number.MAX_SAFE_INTEGER, from + count);
      const indexed = await trace.index({ records: end });
      if (!indexed.ok) return indexed;
      const print = recordPrinter(context);
      for (let at = from; at < end && context.out.ended === 'no';) {
        const part = Math.min(PART, end - at);
        const answer = await trace.request('records', { trace: trace.id, from: at, count: part });
        if (!answer.ok) return answer;
        await print(answer.value.records);
        at += answer.value.records.length;
        if (answer.value.records.length < part) break;
      }
      return ok(undefined);
    }),
});

/** Records per request: enough for speed, few enough to print the first ones soon. */
const PART = 1000;
