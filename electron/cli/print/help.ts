/** Help texts, derived from the commands and their options. */
import { VERSION } from '../../program.ts';
import type { Command } from '../command.ts';
import type { Options } from '../options/options.ts';
import { COMMON_OPTIONS, GENERAL_OPTIONS } from '../options/common.ts';

export function generalHelp(commands: readonly Command[]): string {
  const rows = commands.map((command): Row => [called(command), command.text]);
  return [
    `tracebench ${VERSION}: reads execution traces`,
    '',
    'usage: tracebench <command> TRACE [options]',
    '',
    ...aligned([
      ...rows,
      ['help [COMMAND]', 'Print this help, or the help of a command'],
      ['--version', 'Print the version'],
    ]),
    '',
    'Options of every command:',
    ...aligned(optionRows(COMMON_OPTIONS)),
    '',
  ].join('\n');
}

export function commandHelp(command: Command): string {
  const own = optionRows(command.options);
  return [
    `usage: tracebench ${called(command)} [options]`,
    '',
    `${command.text}.`,
    ...(command.notes ? [command.notes] : []),
    '',
    ...(own.length > 0 ? ['Options:', ...aligned(own), ''] : []),
    ...optionNotes(command.options),
    'Options of every command:',
    ...aligned(optionRows(command.trace === 'none' ? GENERAL_OPTIONS : COMMON_OPTIONS)),
    '',
  ].join('\n');
}

type Row = readonly [left: string, right: string];

/** Names of the operands in order; optional ones have brackets. */
export function operandNames({ operands, trace }: Command): readonly string[] {
  return operands ?? TRACE[trace];
}

function called(command: Command): string {
  return [command.name, ...operandNames(command)].join(' ');
}

const TRACE: Readonly<Record<Command['trace'], readonly string[]>> = {
  needed: ['TRACE'],
  optional: ['[TRACE]'],
  none: [],
};

function optionRows(options: Options): readonly Row[] {
  return Object.entries(options).map(([name, { short, value, text }]): Row => {
    const names = `${short ? `-${short}, ` : ''}--${name}`;
    return [value ? `${names} ${value}` : names, text];
  });
}

function optionNotes(options: Options): readonly string[] {
  const notes = new Set(Object.values(options).flatMap(({ note }) => note ?? []));
  return notes.size === 0 ? [] : [...notes, ''];
}

function aligned(rows: readonly Row[]): readonly string[] {
  const width = rows.reduce((most, [left]) => Math.max(most, left.length), 0);
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
