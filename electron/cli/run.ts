/** One run of the command line: from its arguments to its exit code. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ParseArgsOptionDescriptor } from 'node:util';
import { CANCELLED } from '../../shared/requests/failures.ts';
import type { Client, RequestEvent } from '../../shared/requests/requests.ts';
import { createVisibleAnswers } from '../../shared/requests/visible-answers.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Failure, Result } from '../../shared/base/result.ts';
import { startEngine } from '../engine/engine.ts';
import type { Engine, EngineSettings } from '../engine/engine.ts';
import { VERSION } from '../program.ts';
import type { Command, Context, Options, Values } from './command.ts';
import { COMMON_OPTIONS } from './common-options.ts';
import type { Common } from './common-options.ts';
import { exitCode } from './exit-codes.ts';
import { commandHelp, generalHelp, operandNames } from './commands/help.ts';
import { COMMANDS } from './commands/index.ts';
import type { Listed } from './commands/index.ts';
import { nearest } from './nearest.ts';
import { createOutput } from './output.ts';
import type { Output } from './output.ts';
import { printable } from './print/printable.ts';
import { createProgressLine } from './progress-line.ts';

/** Exit codes: 0 done, 1 the input cannot be used, 2 wrong usage, 130 interrupted. */
export async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version' || name === '-V') return print(`tracebench ${VERSION}\n`);
  if (name !== undefined && HELP.includes(name)) return help(rest.filter((word) => !HELP.includes(word)).join(' '));
  if (name === undefined) return complain(fail('usage', 'name a command; `tracebench help` lists them').error);
  const chosen = await choose(name, rest);
  if (!chosen.ok) return complain(chosen.error);
  if (chosen.value === 'help') return help(name);
  const { command, args: own } = chosen.value;

  const parsed = parse(command, own);
  if (!parsed.ok) return complain(parsed.error);
  if (parsed.value.common.help) return print(commandHelp(command));
  return runCommand(command, parsed.value);
}

/** Whoever asks for the help of help gets that of the program. */
const HELP: readonly string[] = ['help', '--help', '-h'];

interface Chosen {
  readonly command: Command;
  readonly args: readonly string[];
}

/** The command by its one or two words; the second may also stand behind the trace: `notes TRACE list`. */
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
  return fail('usage', `${name}: say what to do: ${words}; \`tracebench help ${name}\` tells more`);
}

/** The command of that name, or those whose first word it is. */
async function called(name: string): Promise<readonly Command[]> {
  const isCalled = (own: string): boolean => own === name || own.startsWith(`${name} `);
  const loaded = await load(COMMANDS.filter(({ names }) => names.some(isCalled)));
  return loaded.filter((command) => isCalled(command.name));
}

async function load(listed: readonly Listed[]): Promise<readonly Command[]> {
  return (await Promise.all(listed.map((one) => one.load()))).flat();
}

/** Milliseconds that an interrupted command has for its tidy end. */
const TIDY_END = 5000;

interface Parsed {
  readonly trace: string;
  readonly operands: Readonly<Record<string, string>>;
  readonly common: Common;
  readonly own: Values<Options>;
}

async function runCommand(command: Command, { trace, operands, common, own }: Parsed): Promise<number> {
  const abort = new AbortController();
  const end = () => {
    if (abort.signal.aborted) return;
    abort.abort();
    setTimeout(() => process.exit(130), TIDY_END).unref();
  };
  let interrupts = 0;
  const interrupt = () => {
    // The second time the person does not want to wait for a tidy end.
    if (++interrupts > 1) process.exit(130);
    end();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', end);
  // The terminal was closed.
  process.on('SIGHUP', end);

  // When nobody reads what is told on stderr, there is nobody to tell that to.
  process.stderr.on('error', () => undefined);
  const out = createOutput(process.stdout, () => abort.abort());
  const progress = createProgressLine(process.stderr, common.quiet ?? false);
  let engine: Engine | undefined;
  const started: Client = {
    request: (name, args, options) =>
      (engine ??= startEngine(engineSettings(command, common))).request(name, args, options),
  };
  const context: Context = {
    command: command.name,
    trace,
    operands,
    common,
    client: common.json ? started : visibleTo(started),
    signal: abort.signal,
    out,
    progress,
    tell(line) {
      progress.clear();
      if (!common.quiet) process.stderr.write(`tracebench: ${oneLine(line)}\n`);
    },
  };
  try {
    const outcome = await command.run(context, own);
    progress.clear();
    return endOf(out) ?? (outcome.ok ? 0 : complain(outcome.error));
  } finally {
    await engine?.close();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', end);
    process.off('SIGHUP', end);
  }
}

/** The client for commands that print text for a person: nothing in its answers is hidden. */
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

function parse(command: Command, args: readonly string[]): Result<Parsed> {
  const found = tokens(command.name, { ...COMMON_OPTIONS, ...command.options }, args);
  if (!found.ok) return found;
  const { values, positionals } = found.value;
  const own = read(command.options, values);
  const common = read(COMMON_OPTIONS, values);
  if (!common.ok) return common;
  if (!own.ok) return own;
  const given = { common: common.value, own: own.value };
  if (given.common.help) return ok({ ...given, trace: '', operands: {} });
  const operands = operandsOf(command, positionals);
  if (!operands.ok) return operands;
  const { TRACE: trace = '', ...others } = operands.value;
  return ok({ ...given, trace, operands: others });
}

function operandsOf(command: Command, positionals: readonly string[]): Result<Readonly<Record<string, string>>> {
  const names = operandNames(command);
  if (positionals.length > names.length)
    return fail('usage', `${command.name}: '${positionals[names.length] ?? ''}' is one name too many`);
  // An empty name is one that a script left out.
  const missing = names.filter((name, i) => !positionals[i] && !name.startsWith('['));
  if (missing.length > 0) {
    const words = missing.map((name) =>
      name === 'TRACE' ? 'a trace file' : name === 'ID' ? 'an id' : `a ${name.toLowerCase()}`,
    );
    return fail('usage', `${command.name}: name ${words.join(' and ')}`);
  }
  const arranged = command.arrange?.(positionals) ?? positionals;
  const named = arranged.map((text, i): [string, string] => [(names[i] ?? '').replaceAll(/[[\]]/g, ''), text]);
  return ok(Object.fromEntries(named));
}

type Given = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

function tokens(
  command: string,
  options: Options,
  args: readonly string[],
): Result<{ readonly values: Given; readonly positionals: readonly string[] }> {
  const described = Object.entries(options).map(([name, option]): [string, ParseArgsOptionDescriptor] => [
    name,
    {
      type: option.value === '' ? 'boolean' : 'string',
      // Also of what may be given once: the last of several would be taken without a word.
      multiple: option.value !== '',
      ...(option.short && { short: option.short }),
    },
  ]);
  try {
    return ok(
      parseArgs({
        args: negativesJoined(options, args),
        options: Object.fromEntries(described),
        allowPositionals: true,
        strict: true,
      }),
    );
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const valueless = /'(?:-\w, )?(--[\w-]+).*(?:argument missing|ambiguous)/.exec(error.message)?.[1];
    if (valueless !== undefined) return fail('usage', `${valueless} needs a value`);
    const unknown = /^Unknown option '([^']*)'/.exec(error.message)?.[1];
    if (unknown !== undefined) {
      const typed = asTyped(unknown, args);
      const meant = meaning(
        typed.replace(/^-(?=\w\w)/, '--'),
        Object.keys(options).map((name) => `--${name}`),
      );
      return fail(
        'usage',
        `${command}: there is no option ${typed}${meant}; \`tracebench help ${command}\` lists them`,
      );
    }
    const switched = /^Option '(?:-\w, )?(--[\w-]+)' does not take/.exec(error.message)?.[1];
    if (switched !== undefined) return fail('usage', `${switched} takes no value`);
    // The first sentence says what is wrong; what follows is about Node's own parser.
    return fail('usage', `${command}: ${error.message.split(/\.\s|\n/)[0] ?? error.message}`);
  }
}

/** Of `-from 5` Node names the `-f` alone. */
function asTyped(unknown: string, args: readonly string[]): string {
  const word = /^-\w$/.test(unknown) ? args.find((arg) => arg.startsWith(unknown)) : undefined;
  return word?.replace(/=.*/s, '') ?? unknown;
}

/** `--from -1` as `--from=-1`, so that the number is judged, not taken for an option. */
function negativesJoined(options: Options, args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const name = /^--([\w-]+)$/.exec(joined.at(-1) ?? '')?.[1];
    const takes = name !== undefined && Object.hasOwn(options, name) && options[name]!.value !== '';
    if (takes && /^-\d/.test(arg) && !joined.includes('--')) joined.push(`${joined.pop()!}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

function read<O extends Options>(options: O, given: Given): Result<Values<O>> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const texts = [...new Set([given[name] ?? []].flat())];
    if (texts.length > 1 && option.repeatable !== true) {
      const several = texts.map((text) => `'${String(text)}'`).join(' and ');
      return fail('usage', `--${name} is given more than once, as ${several}; give it once`);
    }
    for (const text of texts) {
      const value = option.read(String(text), values[name]);
      if (value === undefined) return fail('usage', `--${name} must be ${option.must}, not '${String(text)}'`);
      values[name] = value;
    }
  }
  return ok(values as Values<O>);
}

/** Of a command by its name; of the program where that is empty. */
async function help(name: string): Promise<number> {
  if (name === '') return print(generalHelp(await load(COMMANDS)));
  const commands = await called(name);
  if (commands.length > 0) return print(commands.map(commandHelp).join('\n'));
  return complain({ code: 'usage', message: noCommand(name) });
}

function noCommand(name: string): string {
  const known = COMMANDS.flatMap(({ names }) => names);
  return `there is no command '${name}'${meaning(name, known)}; \`tracebench help\` lists them`;
}

/** `, perhaps --address`, where something like that is known. */
function meaning(typed: string, known: readonly string[]): string {
  const meant = nearest(typed, known);
  return meant === undefined ? '' : `, perhaps ${meant}`;
}

async function print(text: string): Promise<number> {
  const out = createOutput(process.stdout, () => undefined);
  // An empty write comes back when what is before it has been written or has failed.
  await out.write(text);
  await new Promise<void>((settle) => process.stdout.write('', () => setImmediate(settle)));
  return endOf(out) ?? 0;
}

/** The exit code of a command whose output could not be written, quietly where its reader had enough. */
function endOf({ ended }: Output): number | undefined {
  if (ended === 'no') return undefined;
  return ended === 'reader-gone' ? 0 : complain({ code: 'output', message: `standard output: ${ended.problem}` });
}

/** The one line about a failure, and its exit code. */
function complain(failure: Failure): number {
  process.stderr.write(`tracebench: ${failure.code === CANCELLED ? 'interrupted' : oneLine(failure.message)}\n`);
  return exitCode(failure);
}

/** What a file's name or content brings in must not break the line. */
function oneLine(text: string): string {
  return printable(text.replaceAll(/\s*\n\s*/g, ' '));
}
