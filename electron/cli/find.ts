/** `find`: the next or previous records that match. */
import type { FindArguments } from '../../shared/api.ts';
import { fail, ok } from '../../shared/result.ts';
import { command } from './command.ts';
import { addressSpan, count, kinds, recordNumber, regularExpression, value } from './options.ts';
import { recordPrinter } from './record-lines.ts';
import { withTrace } from './trace.ts';

export const find = command({
  name: 'find',
  text: 'The next or previous records that match, as JSON Lines with --json',
  notes: 'Records must match all that is given. Without --after and --before the search starts at the first record.',
  trace: 'needed',
  options: {
    address: addressSpan('A[-B]', 'touches any byte of the span, both ends included'),
    kind: kinds('is of one of these kinds'),
    value: value('V', 'reads, writes or sets this value'),
    text: regularExpression('REGEX', 'its text matches this regular expression'),
    after: recordNumber('only after this record, oldest first'),
    before: recordNumber('only before this record, newest first'),
    limit: count('K', 1, Number.MAX_SAFE_INTEGER, 'at most this many, 1 by default'),
  },
  async run(context, { address, kind, value, text, after, before, limit = 1 }) {
    if (!address && !kind && !value && text === undefined) {
      return fail('usage', 'find: say what to find with --address, --kind, --value or --text');
    }
    if (after !== undefined && before !== undefined) {
      return fail('usage', 'find: give --after or --before, not both');
    }
    const what = {
      ...(address && { address }),
      ...(kind && { kinds: kind }),
      ...(value && { value }),
      ...(text !== undefined && { text }),
    };
    return withTrace(context, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const print = recordPrinter(context);
      let place: Pick<FindArguments, 'after' | 'before'> = {
        ...(after !== undefined && { after }),
        ...(before !== undefined && { before }),
      };
      for (let left = limit; left > 0 && context.out.ended === 'no';) {
        const part = Math.min(PART, left);
        const answer = await trace.call('find', { trace: trace.id, ...what, ...place, limit: part });
        if (!answer.ok) return answer;
        const found = answer.value.records;
        await print(found);
        const last = found.at(-1);
        if (!last || found.length < part) break;
        place = before === undefined ? { after: last.n } : { before: last.n };
        left -= found.length;
      }
      return ok(undefined);
    });
  },
});

/** Matches asked for at once. */
const PART = 1000;
