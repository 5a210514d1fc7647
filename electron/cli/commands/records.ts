/** `records`: the records themselves. */
import { ok } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { count, recordNumber } from '../options.ts';
import { recordPrinter } from '../print/record-lines.ts';
import { withTrace } from '../trace.ts';

export const records = command({
  name: 'records',
  text: 'The records themselves, as JSON Lines with --json',
  trace: 'needed',
  options: {
    from: recordNumber('the first record, 0 by default'),
    count: count('K', 0, Number.MAX_SAFE_INTEGER, 'how many, 100 by default'),
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

/** Records asked for at once: enough to be quick, few enough for the first to come soon. */
const PART = 1000;
