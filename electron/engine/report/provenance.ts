/** Where a number or a figure comes from, in words: the question, as a command line that asks it again, and what it looked at. */
import type { Source } from './document.ts';
import { bytesText, recordsText, shellWord } from './words.ts';

/** `Records 5 to 15 (bytes 230 to 711)`. */
export function whereText({ records, bytes }: Source): string {
  const text = `${recordsText(records)} (${bytesText(bytes)})`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `tracebench records TRACE --from 5 --count 11`; the question itself where no command asks just that. */
export function commandText({ call, arguments: args }: Source): string {
  const figure = call === 'figure' ? args['figure'] : undefined;
  return (isObject(figure) ? figureCommand(figure) : undefined) ?? plainCommand(call, args);
}

/** What each command calls the arguments that it takes; it takes no others. */
interface Known {
  readonly command: string;
  readonly options: readonly string[];
}

const COMMANDS: Readonly<Record<string, Known>> = {
  info: { command: 'info TRACE', options: [] },
  diagnostics: { command: 'info TRACE --json', options: [] },
  pages: { command: 'pages TRACE', options: ['size'] },
  records: { command: 'records TRACE', options: ['from', 'count'] },
  registers: { command: 'registers TRACE', options: ['at', 'cpu'] },
  memory: { command: 'memory TRACE', options: ['at', 'address', 'length'] },
  stack: { command: 'stack TRACE', options: ['at', 'cpu'] },
  branches: { command: 'branches TRACE', options: ['from', 'to'] },
  calls: { command: 'calls TRACE', options: ['from', 'to'] },
};

const FIGURES: Readonly<Record<string, Known>> = {
  heat: {
    command: 'heat TRACE -o heatmap.svg',
    options: ['from', 'to', 'low', 'high', 'kinds', 'columns', 'rows'],
  },
  overview: { command: 'overview TRACE -o overview.svg', options: ['from', 'to'] },
  graph: { command: 'calls TRACE -o calls.svg', options: ['from', 'to', 'centre'] },
  flame: { command: 'tree TRACE -o flame.svg', options: ['from', 'to', 'order'] },
};

function figureCommand({ figure, ...wish }: Readonly<Record<string, unknown>>): string | undefined {
  return withOptions(typeof figure === 'string' ? FIGURES[figure] : undefined, wish);
}

function plainCommand(call: string, args: Source['arguments']): string {
  return withOptions(COMMANDS[call], args) ?? `${call} ${JSON.stringify(args)}`;
}

/** Undefined where the command does not take just these. */
function withOptions(known: Known | undefined, args: Source['arguments']): string | undefined {
  if (known === undefined || Object.keys(args).some((name) => !known.options.includes(name))) return undefined;
  const options = Object.entries(args).flatMap(([name, value]) => [`--${name}`, quoted(value)]);
  return ['tracebench', known.command, ...options].join(' ');
}

function quoted(value: unknown): string {
  return shellWord(Array.isArray(value) ? value.join(',') : String(value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
