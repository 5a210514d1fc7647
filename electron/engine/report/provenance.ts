/** Where a number or a figure comes from, in words: the question, as a command line that asks it again, and what it looked at. */
import type { Source } from './document.ts';
import { bytesText, recordsText } from './words.ts';

/** `Records 5 to 15 (bytes 230 to 711)`. */
export function whereText({ records, bytes }: Source): string {
  const text = `${recordsText(records)} (${bytesText(bytes)})`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `tracebench records TRACE --from 5 --count 11`; the question itself where no command asks just that. */
export function commandText({ call, arguments: args }: Source): string {
  const command = COMMANDS[call];
  if (command === undefined) return `${call} ${JSON.stringify(args)}`;
  const options = Object.entries(args).flatMap(([name, value]) => optionText(name, value));
  return ['tracebench', command, 'TRACE', ...options].join(' ');
}

/** Call to command. */
const COMMANDS: Readonly<Record<string, string>> = {
  info: 'info',
  diagnostics: 'info --json',
  pages: 'pages',
  records: 'records',
  registers: 'registers',
  memory: 'memory',
  stack: 'stack',
  branches: 'branches',
  calls: 'calls',
  heat: 'heat',
  overview: 'overview',
  graph: 'calls',
  flame: 'tree',
};

function optionText(name: string, value: unknown): readonly string[] {
  if (value === true) return [`--${name}`];
  if (value === false) return [`--${name}=false`];
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return [`--${name}`, /^[\w.,:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`];
}
