/** `flow`: the instructions that a buffer of an XScale trace proves. */
import type { CaptureFlow } from '../../../shared/requests/flow.ts';
import { ok } from '../../../shared/base/result.ts';
import { record } from '../../../shared/requests/schema.ts';
import { command } from '../command.ts';
import type { Context } from '../command.ts';
import { group } from '../../../shared/base/numbers.ts';
import { number } from '../options/options.ts';
import { missing } from '../options/state-at.ts';
import { createTable } from '../print/table.ts';
import { withTrace } from '../trace.ts';

export const flow = command({
  name: 'flow',
  text: 'The instructions that a buffer of an XScale trace proves, oldest to newest',
  notes:
    'Give the program with --image. Without it only the targets of indirect branches and checkpoints are known.\n' +
    'For raw buffers, give what they lack with --option: the checkpoint registers (checkpoints=C0,C1), the address of the exception\n' +
    'vectors (base=..) and the address at which tracing was enabled (enable-pc=..).',
  trace: 'needed',
  options: { capture: number('C', record, 'the buffer, by its number in `captures`; required') },
  async run(context, { capture }) {
    if (capture === undefined) return missing(context, 'give the buffer with --capture C');
    return withTrace(context, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const { json } = context.common;
      const answer = await trace.request('captureFlow', { trace: trace.id, capture, ...(!json && { places: true }) });
      if (!answer.ok) return answer;
      if (json) await context.out.json(answer.value);
      else await print(context, answer.value);
      return ok(undefined);
    });
  },
});

async function print({ out }: Context, found: CaptureFlow): Promise<void> {
  const { addresses, gaps, known_from_entry: from, before } = found;
  if (from === null) {
    await out.write('no address in this buffer is known\n');
    return;
  }
  const unseen = before === undefined || before === 0 ? '' : ` (after ${counted(before)})`;
  await out.write(`known from entry ${group(from)}${unseen}; ${counted(addresses.length)}\n`);
  const table = createTable(COLUMNS, out.colour);
  let next = 0;
  const rowsTo = (end: number): string => {
    const rows = addresses
      .slice(next, end)
      .map((address, i) => ({ index: next + i, address, ...found.places?.[address] }));
    next = end;
    return rows.length === 0 ? '' : table.lines(rows);
  };
  for (const { afterIndex, reason, instructions } of gaps) {
    const many = instructions === undefined ? 'an unknown number of instructions' : counted(instructions);
    await out.write(`${rowsTo(afterIndex)}-- ${many} not known: ${reason}\n`);
  }
  await out.write(rowsTo(addresses.length));
  const { tail = [] } = found;
  if (tail.length === 0) return;
  await out.write(`-- after the last message, up to where the core stopped: ${counted(tail.length)}\n`);
  const rows = tail.map((address, i) => ({ index: addresses.length + i, address, ...found.places?.[address] }));
  await out.write(table.lines(rows));
}

function counted(instructions: number): string {
  return instructions === 1 ? '1 instruction' : `${group(instructions)} instructions`;
}

interface Row {
  readonly index: number;
  readonly address: string;
  readonly symbol?: string;
  readonly line?: string;
  readonly text?: string;
}

const COLUMNS = [
  { title: 'index', right: true, text: ({ index }: Row) => group(index) },
  { title: 'address', right: true, text: ({ address }: Row) => address },
  { title: 'symbol', text: ({ symbol }: Row) => symbol ?? '' },
  { title: 'instruction', text: ({ text }: Row) => text ?? '' },
  { title: 'line', text: ({ line }: Row) => line ?? '' },
];
