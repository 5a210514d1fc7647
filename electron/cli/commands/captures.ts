/** `captures`: the trace buffers of an XScale trace. */
import { jsonText } from '../../../shared/base/visible.ts';
import type { Capture, Captures } from '../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { group } from '../../../shared/base/numbers.ts';
import { createTable } from '../print/table.ts';
import { withTrace } from '../trace.ts';

/** Captures per request. */
const PART = 2000;

export const captures = command({
  name: 'captures',
  text: 'The buffers of an XScale trace: their sizes, and the first entry with a known address',
  notes:
    'Give the program with --image to follow direct branches. The column checkpoints shows CHKPT0 and CHKPT1 if entries use them.\n' +
    'For raw buffers, give the registers with --option checkpoints=C0,C1.',
  trace: 'needed',
  options: {},
  run: (context) =>
    withTrace(context, async (trace) => {
      const { common, out } = context;
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const table = createTable(COLUMNS, out.colour);
      let opening = '[';
      let from: number | null = 0;
      while (from !== null) {
        const part: Result<Captures> = await trace.request('captures', { trace: trace.id, from, count: PART });
        if (!part.ok) return part;
        const { captures: rows } = part.value;
        if (common.json) {
          for (const row of rows) {
            await out.write(opening + jsonText(row));
            opening = ',';
          }
        } else {
          await out.write(table.lines(rows));
        }
        from = out.ended === 'no' ? part.value.next : null;
      }
      if (common.json) await out.write(`${opening === '[' ? '[' : ''}]\n`);
      return ok(undefined);
    }),
});

const COLUMNS = [
  { title: 'capture', right: true, text: ({ capture }: Capture) => group(capture) },
  {
    title: 'record',
    right: true,
    text: ({ firstRecord }: Capture) => (firstRecord === undefined ? '' : group(firstRecord)),
  },
  { title: 'bytes', right: true, text: ({ bytes }: Capture) => group(bytes) },
  { title: 'entries', right: true, text: ({ entries }: Capture) => group(entries) },
  { title: 'wrapped', text: ({ wrapped }: Capture) => (wrapped ? 'yes' : 'no') },
  { title: 'checkpoints', text: ({ checkpoints }: Capture) => checkpoints.join(' ') },
  {
    title: 'known from',
    right: true,
    text: ({ firstKnownEntry }: Capture) => (firstKnownEntry === null ? 'never' : group(firstKnownEntry)),
  },
  {
    title: 'diagnostics',
    text: ({ diagnostics }: Capture) => diagnostics.map(({ code, count }) => `${code} ${group(count)}`).join(', '),
  },
];
