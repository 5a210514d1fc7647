/** Describes the source of a number or figure: the query as a command line that repeats it, and the range it covers. */
import type { Source } from './document.ts';
import { bytesText, recordsText, shellWord } from './words.ts';

/** For example `Records 5 to 15 (bytes 230 to 711)`. */
export function whereText({ of, records, bytes }: Source): string {
  const text = `${recordsText(records)}${of === 'other' ? ' of the other trace' : ''} (${bytesText(bytes)})`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** For example `tracebench records TRACE --from 5 --count 11`, or the API call if no command repeats it exactly. */
export function commandText({ call, arguments: args }: Source): string {
  const figure = call === 'figure' ? args['figure'] : undefined;
  if (call === 'sql') return sqlCommand(args);
  return (isObject(figure) ? figureCommand(figure) : undefined) ?? plainCommand(call, args);
}

/** A command with the arguments that it accepts as options. */
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
  profile: { command: 'profile TRACE', options: ['from', 'to'] },
  loops: { command: 'loops TRACE', options: ['from', 'to'] },
  diff: { command: 'diff TRACE OTHER', options: ['cpu', 'shift', 'by', 'most'] },
  why: {
    command: 'why TRACE',
    options: [
      'at',
      'register',
      'cpu',
      'address',
      'length',
      'pc',
      'forward',
      'addresses',
      'control',
      'steps',
      'allCopies',
    ],
  },
};

const FIGURES: Readonly<Record<string, Known>> = {
  heat: {
    command: 'heat TRACE -o heatmap.svg',
    options: ['from', 'to', 'low', 'high', 'kinds', 'columns', 'rows'],
  },
  overview: { command: 'overview TRACE -o overview.svg', options: ['from', 'to', 'tracks', 'cpu', 'bigEndian'] },
  graph: { command: 'calls TRACE -o calls.svg', options: ['from', 'to', 'centre'] },
  flame: { command: 'tree TRACE -o flame.svg', options: ['from', 'to', 'order', 'folded'] },
};

function figureCommand({ figure, ...request }: Readonly<Record<string, unknown>>): string | undefined {
  return withOptions(typeof figure === 'string' ? FIGURES[figure] : undefined, request);
}

function sqlCommand({ sql, set, limit }: Source['arguments']): string {
  const values = Object.entries(isObject(set) ? set : {}).flatMap(([name, value]) => [
    '--set',
    quoted(`${name}=${String(value)}`),
  ]);
  return ['tracebench sql TRACE', quoted(sql), ...values, '--limit', quoted(limit)].join(' ');
}

function plainCommand(call: string, args: Source['arguments']): string {
  return withOptions(COMMANDS[call], args) ?? `${call} ${JSON.stringify(args)}`;
}

/** Returns undefined if the command does not accept all of these arguments. */
function withOptions(known: Known | undefined, args: Source['arguments']): string | undefined {
  if (known === undefined || Object.keys(args).some((name) => !known.options.includes(name))) return undefined;
  const options = Object.entries(args).flatMap(([name, value]) => {
    if (name === 'tracks' && Array.isArray(value)) return value.flatMap((track) => ['--track', quoted(track)]);
    if (name === 'bigEndian') return ['--endian', value === true ? 'big' : 'little'];
    if (value === false) return [];
    if (name === 'allCopies') return ['--all-copies'];
    if (name === 'most') return ['--limit', quoted(value)];
    return value === true ? [`--${name}`] : [`--${name}`, quoted(value)];
  });
  return ['tracebench', known.command, ...options].join(' ');
}

function quoted(value: unknown): string {
  return shellWord(Array.isArray(value) ? value.join(',') : String(value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
