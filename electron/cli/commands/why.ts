/** `why`: the instructions that made the value of a register or memory. */
import { CANCELLED } from '../../../shared/requests/failures.ts';
import {
  WHY_BYTES_MOST,
  WHY_STEPS,
  WHY_STEPS_MOST,
  type Why,
  type WhyArguments,
} from '../../../shared/requests/why.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { address, addressOf } from '../options/addresses.ts';
import { command, type Context } from '../command.ts';
import { flag, number, recordNumber, word } from '../options/options.ts';
import { AT_MISSING, CPU, missing, reach } from '../options/state-at.ts';
import { searchProgress } from '../print/search-progress.ts';
import { whyDot, whyMermaid } from '../print/why-graph.ts';
import { whyText } from '../print/why-text.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

export const why = command({
  name: 'why',
  text: 'Why a register or memory has its value: the instructions that made it',
  notes: `Steps are instructions, youngest first, with the bytes that they defined and used. A value that was only moved is a copy; an
input was read from memory that nothing in the trace wrote before. What the opcodes or records do not show is unknown.
With --forward, values are followed until they are overwritten or the trace ends. A branch that used a value is a step with --control;
what executed because of it is not followed. Ctrl+C prints the steps that were found until then.`,
  trace: 'needed',
  options: {
    at: recordNumber('the value after this record; required'),
    register: word('NAME', 'of this register', 'the name of a register'),
    cpu: CPU('of this CPU, by default that of the record; needs --register'),
    address: address('A', 'of memory at this address'),
    length: number('L', whole(1, WHY_BYTES_MOST), 'bytes of memory, 1 by default'),
    pc: flag('of the program counter: which branches decided that this instruction was reached'),
    forward: flag('where the value went instead: the instructions that used it, oldest first'),
    addresses: flag('also follow the registers that formed addresses'),
    control: flag('also follow what decided that conditional instructions executed'),
    steps: number('K', whole(1, WHY_STEPS_MOST), `at most this many steps, ${WHY_STEPS} by default`),
    'all-copies': flag('show every copy as a step'),
    dot: flag('print a graph for Graphviz'),
    mermaid: flag('print a Mermaid flowchart'),
  },
  async run(context, given) {
    const { at, register, cpu, address: typed, length, addresses, control, steps, pc, dot, mermaid, forward } = given;
    if ([typed, register, pc].filter((one) => one !== undefined).length !== 1)
      return missing(context, 'give one of --register NAME, --address A and --pc');
    if ([dot, mermaid, context.common.json ? true : undefined].filter((one) => one === true).length > 1)
      return missing(context, 'give one of --dot, --mermaid and --json');
    if (register === undefined && cpu !== undefined) return missing(context, '--cpu needs --register');
    if (typed === undefined && length !== undefined) return missing(context, '--length needs --address');
    if (pc === true && forward === true) return missing(context, '--forward has no answer with --pc');
    if (at === undefined) return missing(context, AT_MISSING);
    return withTrace(context, async (trace) => {
      const place = typed === undefined ? ok(undefined) : await addressOf(context, trace, typed);
      if (!place.ok) return place;
      const reached = await reach(trace, at, forward === true);
      if (!reached.ok) return reached;
      const answer = await untilInterrupted(context, trace, {
        trace: trace.id,
        at,
        ...(register !== undefined && { register }),
        ...(cpu !== undefined && { cpu }),
        ...(place.value !== undefined && { address: place.value }),
        ...(length !== undefined && { length }),
        ...(pc === true && { pc }),
        ...(forward === true && { forward }),
        ...(addresses === true && { addresses }),
        ...(control === true && { control }),
        ...(steps !== undefined && { steps }),
        ...(given['all-copies'] === true && { allCopies: true }),
      });
      if (!answer.ok) return answer;
      const { common, out } = context;
      if (common.json) await out.json(document(answer.value));
      else
        await out.write(
          dot === true
            ? whyDot(answer.value)
            : mermaid === true
              ? whyMermaid(answer.value)
              : whyText(answer.value, out.colour),
        );
      return answer.value.ended.reason === 'cancelled' ? fail(CANCELLED, 'interrupted') : ok(undefined);
    });
  },
});

/** An interrupt ends the search, and the answer has the steps that were found until then. */
async function untilInterrupted(context: Context, trace: OpenTrace, args: WhyArguments): Promise<Result<Why>> {
  const { signal, progress } = context;
  const run = crypto.randomUUID();
  // The engine answers both requests although the signal of the command is aborted.
  const own = { signal: new AbortController().signal };
  const stop = (): void => void trace.request('stopWhy', { trace: trace.id, run }, own);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const isForward = args.forward === true;
  const range = isForward
    ? { from: args.at, to: trace.opened.reach.records, newest: false }
    : { from: 0, to: args.at + 1, newest: true };
  const what = isForward ? 'following the value' : 'following the value back';
  const onEvent = searchProgress(context, trace.opened.file.bytes, range, what);
  const answer = await trace.request('why', { ...args, run }, { ...own, onEvent });
  signal.removeEventListener('abort', stop);
  progress.clear();
  return answer;
}

/** Returns the document of --json, with its keys in the order of the help. */
function document({ at, of: { value, ...of }, forward, steps, origin, ends, copies, ended }: Why): object {
  return {
    at,
    of,
    value,
    ...(forward === true && { forward }),
    steps: steps.map((step) => {
      const { n, time, cpu, address, symbol, line, text, kind, reason, defines, uses, inferred } = step;
      const { copies: folded, moved, ends: its } = step;
      return {
        ...{ n, time, cpu, address, symbol, line, text, kind, reason, defines, uses, inferred },
        ...{ copies: folded, moved, ends: its },
      };
    }),
    origin,
    ...(forward === true && { ends, copies }),
    ended,
  };
}
