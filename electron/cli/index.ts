/** THE LIST of commands, in the order of the help: one file and one line each. */
import { accessCommands } from './access.ts';
import { branches } from './branches.ts';
import { buildIndex } from './build-index.ts';
import { calls } from './calls.ts';
import { captures } from './captures.ts';
import type { Command } from './command.ts';
import { exportRecords } from './export.ts';
import { find } from './find.ts';
import { flow } from './flow.ts';
import { formats } from './formats.ts';
import { heat } from './heat.ts';
import { info } from './info.ts';
import { memory } from './memory.ts';
import { notesCommands } from './notes.ts';
import { overview } from './overview.ts';
import { pages } from './pages.ts';
import { records } from './records.ts';
import { registers } from './registers.ts';
import { report } from './report.ts';
import { sample } from './sample.ts';
import { serve } from './serve.ts';
import { stack } from './stack.ts';
import { tree } from './tree.ts';
import { verify } from './verify.ts';

export const COMMANDS: readonly Command[] = [
  formats,
  info,
  buildIndex,
  pages,
  records,
  find,
  registers,
  memory,
  ...accessCommands,
  branches,
  calls,
  tree,
  stack,
  captures,
  flow,
  overview,
  heat,
  report,
  verify,
  ...notesCommands,
  exportRecords,
  sample,
  serve,
];
