/** Calls of tools: lists the tools for these traces, checks the arguments of a call, and bounds its answer. */
import { assert, fail, ok, type Result } from '../../../shared/base/result.ts';
import type { OpenTrace } from '../trace.ts';
import { textOf, type Findings } from './findings.ts';
import { INSTRUCTIONS } from './instructions.ts';
import type { Call, Server } from './protocol.ts';
import { checked, text, type ArgumentSchemas, type ArgumentValues, type Tool } from './tool.ts';
import { TOOLS } from './tools/index.ts';
import type { Traces } from './traces.ts';

export function createCalls(traces: Traces): Omit<Server, 'version'> {
  const trace = {
    type: 'string',
    enum: traces.names,
    description: `the trace, ${traces.names[0]!} by default`,
  } as const;
  const cursor = text('`next` of an answer, with the other arguments unchanged: its next items');
  const schemasOf = ({ arguments: own }: Tool): ArgumentSchemas => ({ ...own, trace, cursor });

  return {
    instructions: `${INSTRUCTIONS}\nTraces: ${traces.names.join(', ')}.`,
    tools: TOOLS.map((tool) => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: {
        type: 'object',
        properties: schemasOf(tool),
        required: tool.required,
        additionalProperties: false,
      },
    })),
    async call(name, args, call) {
      const tool = TOOLS.find((one) => one.name === name);
      assert(tool !== undefined, 'the server calls only tools of its list');
      const found = await answer(tool, args, call);
      if (!found.ok) return { text: found.error.message, isError: true };
      return { text: typeof found.value === 'string' ? found.value : textOf(found.value), isError: false };
    },
  };

  async function answer(tool: Tool, given: unknown, call: Call): Promise<Result<Findings | string>> {
    const args = checked(tool, schemasOf(tool), given);
    if (!args.ok) return args;
    const { trace: name, cursor: place = '0', ...own } = args.value as ArgumentValues<ArgumentSchemas> & Common;
    if (!/^\d{1,15}$/.test(place))
      return fail('usage', `${tool.name}: cursor must be the \`next\` of an answer, not '${place}'`);
    const opened = await traces.get(name, call);
    if (!opened.ok) return opened;
    const { trace, records } = opened.value;
    const at = own['at'];
    if (typeof at === 'number' && at >= records)
      return fail('usage', `${tool.name}: there is no record ${at}; the trace has ${records}, numbered from 0`);
    const other = async (wanted: string): Promise<Result<OpenTrace>> => {
      const second = await traces.get(wanted, call);
      return second.ok ? ok(second.value.trace) : second;
    };
    return tool.run(own, trace, { cursor: Number(place), call, other });
  }
}

/** Arguments of every tool. */
interface Common {
  readonly trace?: string;
  readonly cursor?: string;
}
