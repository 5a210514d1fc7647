/** `mcp`: answers the questions of a language model about the given traces, over the Model Context Protocol. */
import { ok } from '../../../shared/base/result.ts';
import { VERSION } from '../../program.ts';
import { command } from '../command.ts';
import { createCalls } from '../mcp/calls.ts';
import { serve } from '../mcp/protocol.ts';
import { openTraces } from '../mcp/traces.ts';

export const mcp = command({
  name: 'mcp',
  text: 'Answer a language model about these traces: a server of the Model Context Protocol',
  notes: [
    'Reads requests from standard input and answers on standard output, as clients start it. It only reads, uses no network, and knows no',
    'other files than those of the command line. Its tools: info, records, find, registers, memory, last_write, next_access, why, diff,',
    'calls, stack, coverage, sql, report. Every answer has at most 8,000 characters, counts, and a cursor for the rest. docs/agents.md has the',
    'settings of a client, and recipes.',
  ].join('\n'),
  trace: 'needed',
  operands: ['TRACE', '[TRACE...]'],
  options: {},
  // A call can be cancelled while the engine works.
  serves: true,
  async run(context) {
    const traces = openTraces(context);
    const server = { version: VERSION, ...createCalls(traces) };
    await serve(server, process.stdin, (line) => context.out.write(`${line}\n`), context.signal);
    await traces.close();
    return ok(undefined);
  },
});
