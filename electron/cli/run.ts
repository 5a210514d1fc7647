/** One run of the command line: chooses the command, runs it and returns the exit code. */
import { resolve } from 'node:path';
import { CANCELLED } from '../../shared/requests/failures.ts';
import type { Client, RequestEvent } from '../../shared/requests/requests.ts';
import { createVisibleAnswers } from '../../shared/requests/visible-answers.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Failure, Result } from '../../shared/base/result.ts';
import type { Engine, EngineSettings } from '../engine/engine.ts';
import { VERSION } from '../program.ts';
import type { Command, Context, RunLine, StartEngine } from './command.ts';
import { COMMANDS, type Listed } from './commands/index.ts';
import { exitCode } from './failures.ts';
import { outputProblem } from './last-words.ts';
import type { Common } from './options/common.ts';
import { parse, suggestion, type Parsed } from './parse.ts';
import { commandHelp, generalHelp } from './print/help.ts';
import { createOutput, type Output } from './print/output.ts';
import { printable } from './print/printable.ts';
import { createProgressLine } from './print/progress-line.ts';
import { ownSurroundings, type Surroundings } from './surroundings.ts';

/**
 * Returns the exit code: 0 done, 1 the input cannot be used, 2 wrong usage, 130 interrupted. `start` is called by the first request
 * of the command, and its engine is closed at the end.
 */
export async function run(
  args: readonly string[],
  start: StartEngine = startAsNeeded,
  around: Surroundings = ownSurroundings(),
): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version' || name === '-V') return print(`tracebench ${VERSION}\n`, around);
  if (name !== undefined && HELP.includes(name))
    return help(rest.filter((word) => !HELP.includes(word)).join(' '), around);
  if (name === undefined) return complain(fail('usage', 'name a command; `tracebench help` lists them').error, around);
  const read = await readCommand(name, rest);
  if (!read.ok) return complain(read.error, around);
  if (read.value === 'help') return help(name, around);
  const { command, parsed } = read.value;
  return parsed.common.help ? print(commandHelp(command), around) : runCommand(read.value, start, around);
}

interface ReadCommand {
  readonly command: Command;
  readonly parsed: Parsed;
}

/** Reads a command line. `help`: it asks for the help of a group of commands. */
async function readCommand(name: string, rest: readonly string[]): Promise<Result<ReadCommand | 'help'>> {
  const chosen = await choose(name, rest);
  if (!chosen.ok || chosen.value === 'help') return chosen as Result<'help'>;
  const { command, args } = chosen.value;
  const parsed = parse(command, args);
  return parsed.ok ? ok({ command, parsed: parsed.value }) : parsed;
}

const runLine: RunLine = async ([name = '', ...rest], start, around, accepts) => {
  const read = await readCommand(name, rest);
  if (!read.ok || read.value === 'help') return undefined;
  const { command, parsed } = read.value;
  return accepts(command, parsed) ? runCommand(read.value, start, around) : undefined;
};

/**
 * The engine is loaded by the first request: help needs none. That of a running session is used if it has the same settings. Only a command
 * that serves others meanwhile gives its own engine a thread.
 */
async function startAsNeeded(settings: EngineSettings, { serves = false }: Command): Promise<Engine> {
  const isUsual = settings.jobs === undefined && settings.indexDirectory === undefined;
  if (isUsual && !serves && process.env['TRACEBENCH_SESSION'] !== 'no') {
    const { sessionEngine } = await import('./session/connect.ts');
    const engine = await sessionEngine();
    if (engine !== undefined) return engine;
  }
  const { startEngine, startEngineHere } = await import('../engine/engine.ts');
  return serves ? startEngine(settings) : startEngineHere(settings);
}

/** Words that ask for help; help about help is the general help. */
const HELP: readonly string[] = ['help', '--help', '-h'];

interface Chosen {
  readonly command: Command;
  readonly args: readonly string[];
}

/** Finds a command by its one or two words. The second word may follow the trace: `notes TRACE list`. */
async function choose(name: string, rest: readonly string[]): Promise<Result<Chosen | 'help'>> {
  const several = await called(name);
  const single = several.find((candidate) => candidate.name === name);
  if (single) return ok({ command: single, args: rest });
  if (several.length === 0) return fail('usage', noCommand(name));
  for (const [i, word] of rest.slice(0, 2).entries()) {
    const command = several.find((candidate) => candidate.name === `${name} ${word}`);
    if (command) return ok({ command, args: rest.toSpliced(i, 1) });
  }
  if (rest.includes('--help') || rest.includes('-h')) return ok('help');
  const words = several.map((candidate) => candidate.name.slice(name.length + 1)).join(', ');
  return fail('usage', `${name}: add one of ${words}; \`tracebench help ${name}\` explains them`);
}

/** Returns the command of that name, or the commands that begin with it. */
async function called(name: string): Promise<readonly Command[]> {
  const isCalled = (own: string): boolean => own === name || own.startsWith(`${name} `);
  const loaded = await load(COMMANDS.filter(({ names }) => names.some(isCalled)));
  return loaded.filter((command) => isCalled(command.name));
}

async function load(listed: readonly Listed[]): Promise<readonly Command[]> {
  return (await Promise.all(listed.map((one) => one.load()))).flat();
}

/** Exit code of a command that found a difference. */
const DIFFERENT = 3;
/** Time that an interrupted command has to end, in milliseconds: with the end of the process, less than a second. */
const TIDY_END = 700;

async function runCommand(
  { command, parsed: { trace, operands, rest, common, own } }: ReadCommand,
  start: StartEngine,
  around: Surroundings,
): Promise<number> {
  const { stderr, signals } = around;
  const abort = new AbortController();
  let isOver = false;
  const end = () => {
    if (abort.signal.aborted) return;
    abort.abort();
    setTimeout(() => {
      progress.clear();
      if (!isOver) complain({ code: CANCELLED, message: 'interrupted' }, around);
      around.exit(130);
    }, TIDY_END).unref();
  };
  let interrupts = 0;
  const interrupt = () => {
    // A second Ctrl+C ends the program at once.
    if (++interrupts > 1) around.exit(130);
    end();
  };
  signals.on('SIGINT', interrupt);
  signals.on('SIGTERM', end);
  // The terminal was closed.
  signals.on('SIGHUP', end);

  // If stderr is closed, there is no place to report that.
  stderr.on('error', () => undefined);
  const out = createOutput(around, () => abort.abort());
  const progress = createProgressLine(stderr, common.quiet ?? false);
  let engine: Engine | Promise<Engine> | undefined;
  let success = 0;
  const started: Client = {
    request: async (name, args, options) =>
      (await (engine ??= start(engineSettings(command, common), command))).request(name, args, options),
  };
  const context: Context = {
    command: command.name,
    trace,
    operands,
    rest,
    common,
    client: common.json ? started : visibleTo(started),
    engine: started,
    signal: abort.signal,
    out,
    progress,
    notify(line) {
      progress.clear();
      if (!common.quiet) stderr.write(`tracebench: ${oneLine(line)}\n`);
    },
    runLine,
    differs() {
      success = DIFFERENT;
    },
  };
  try {
    const outcome = await command.run(context, own);
    isOver = true;
    progress.clear();
    return endOf(out, around) ?? (outcome.ok ? success : complain(outcome.error, around));
  } finally {
    await (await engine)?.close();
    signals.off('SIGINT', interrupt);
    signals.off('SIGTERM', end);
    signals.off('SIGHUP', end);
  }
}

/** Returns a client for commands that print text for a person: hidden characters in its answers are visible. */
function visibleTo(client: Client): Client {
  const shown = createVisibleAnswers();
  return {
    async request(name, args, options = {}) {
      const onEvent = (event: RequestEvent<typeof name>) => {
        shown.event(name, event);
        options.onEvent?.(event);
      };
      const answer = await client.request(name, shown.originals(args), { ...options, onEvent });
      shown.answer(name, answer);
      return answer;
    },
  };
}

function engineSettings({ decodes = false }: Command, common: Common): EngineSettings {
  return {
    decodes,
    ...(common.jobs !== undefined && { jobs: common.jobs }),
    ...(common['index-dir'] !== undefined && { indexDirectory: resolve(common['index-dir']) }),
  };
}

/** Prints the help of a command or of a group of commands; the general help for an empty name. */
async function help(name: string, around: Surroundings): Promise<number> {
  if (name === '') return print(generalHelp(await load(COMMANDS)), around);
  const commands = await called(name);
  if (commands.length > 0) return print(commands.map(commandHelp).join('\n'), around);
  return complain({ code: 'usage', message: noCommand(name) }, around);
}

function noCommand(name: string): string {
  const known = COMMANDS.flatMap(({ names }) => names);
  return `there is no command '${name}'${suggestion(name, known)}; \`tracebench help\` lists them`;
}

async function print(text: string, around: Surroundings): Promise<number> {
  const { stdout } = around;
  const out = createOutput(around, () => undefined);
  // An empty write completes once everything before it has been written or has failed.
  await out.write(text);
  await new Promise<void>((settle) => stdout.write('', () => setImmediate(settle)));
  return endOf(out, around) ?? 0;
}

/** Returns the exit code if the output could not be written: 0 if its reader has gone (`head`). */
function endOf({ ended }: Output, around: Surroundings): number | undefined {
  if (ended === 'no') return undefined;
  if (ended === 'reader-gone') return 0;
  return complain({ code: 'output', message: outputProblem(ended.problem) }, around);
}

/** Prints one line about a failure and returns its exit code. */
function complain(failure: Failure, { stderr }: Surroundings): number {
  stderr.write(`tracebench: ${failure.code === CANCELLED ? 'interrupted' : oneLine(failure.message)}\n`);
  return exitCode(failure);
}

/** Names and contents of files may have line ends and control characters. */
function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks)));
}
