/**
 * THE LIST of commands, in the order of the help: one file and one line each. A command's file is loaded when the command is given,
 * because loading all of them takes longer than many answers.
 */
import type { Command } from '../command.ts';

/** A file with one or several commands, and their names in order. */
export interface Listed {
  readonly names: readonly string[];
  load(): Promise<readonly Command[]>;
}

export const COMMANDS: readonly Listed[] = [
  { names: ['formats'], load: async () => [(await import('./formats.ts')).formats] },
  { names: ['info'], load: async () => [(await import('./info.ts')).info] },
  { names: ['index'], load: async () => [(await import('./index-command.ts')).buildIndex] },
  { names: ['pages'], load: async () => [(await import('./pages.ts')).pages] },
  { names: ['records'], load: async () => [(await import('./records.ts')).records] },
  { names: ['find'], load: async () => [(await import('./find.ts')).find] },
  { names: ['registers'], load: async () => [(await import('./registers.ts')).registers] },
  { names: ['memory'], load: async () => [(await import('./memory.ts')).memory] },
  { names: ['watch'], load: async () => [(await import('./watch.ts')).watch] },
  { names: ['history'], load: async () => [(await import('./history.ts')).history] },
  {
    names: ['last-write', 'last-read', 'last-access', 'next-write', 'next-read', 'next-access'],
    load: async () => (await import('./access.ts')).accessCommands,
  },
  { names: ['diff'], load: async () => [(await import('./diff.ts')).diff] },
  { names: ['why'], load: async () => [(await import('./why.ts')).why] },
  { names: ['branches'], load: async () => [(await import('./branches.ts')).branches] },
  { names: ['calls'], load: async () => [(await import('./calls.ts')).calls] },
  { names: ['tree'], load: async () => [(await import('./tree.ts')).tree] },
  { names: ['profile'], load: async () => [(await import('./profile.ts')).profile] },
  { names: ['loops'], load: async () => [(await import('./loops.ts')).loops] },
  { names: ['coverage'], load: async () => [(await import('./coverage.ts')).coverage] },
  { names: ['stack'], load: async () => [(await import('./stack.ts')).stack] },
  { names: ['phases'], load: async () => [(await import('./phases.ts')).phases] },
  { names: ['captures'], load: async () => [(await import('./captures.ts')).captures] },
  { names: ['flow'], load: async () => [(await import('./flow.ts')).flow] },
  { names: ['overview'], load: async () => [(await import('./overview.ts')).overview] },
  { names: ['heat'], load: async () => [(await import('./heat.ts')).heat] },
  { names: ['report'], load: async () => [(await import('./report.ts')).report] },
  { names: ['bundle'], load: async () => [(await import('./bundle.ts')).bundle] },
  { names: ['verify'], load: async () => [(await import('./verify.ts')).verify] },
  {
    names: ['notes list', 'notes add', 'notes remove', 'notes import', 'notes export'],
    load: async () => (await import('./notes.ts')).notesCommands,
  },
  { names: ['export'], load: async () => [(await import('./export.ts')).exportRecords] },
  { names: ['sql', 'recipes'], load: async () => (await import('./sql.ts')).sqlCommands },
  { names: ['ask'], load: async () => [(await import('./ask.ts')).ask] },
  {
    names: ['session start', 'session stop', 'session serve'],
    load: async () => (await import('./session.ts')).sessionCommands,
  },
  { names: ['mcp'], load: async () => [(await import('./mcp.ts')).mcp] },
  { names: ['sample'], load: async () => [(await import('./sample.ts')).sample] },
  { names: ['serve'], load: async () => [(await import('./serve.ts')).serve] },
];
