/** The shape of a command: one file and one line in the list of commands; parsing and help derive from it. */
import type { Client } from '../../shared/requests/requests.ts';
import type { Result } from '../../shared/base/result.ts';
import type { Engine, EngineSettings } from '../engine/engine.ts';
import type { Common } from './options/common.ts';
import type { Options, Values } from './options/options.ts';
import type { Output } from './print/output.ts';
import type { ProgressLine } from './print/progress-line.ts';
import type { Surroundings } from './surroundings.ts';

export interface Command {
  /** One word, or two for a group of commands: `notes list`. */
  readonly name: string;
  /** One phrase for the list of commands. */
  readonly text: string;
  readonly trace: 'needed' | 'optional' | 'none';
  /** Names of the operands in their order, if there are others than the trace; `[X]` is optional, `[X...]` takes the rest. */
  readonly operands?: readonly string[];
  /** Sorts operands that people may give in another order into the order of `operands`. */
  arrange?(given: readonly string[]): readonly string[];
  readonly options: Options;
  /** Forms of output that --format may name, too, although it names the format of the trace: the words that each stands for. */
  readonly forms?: Readonly<Record<string, readonly string[]>>;
  /** True if it starts with work for the decode workers. */
  readonly decodes?: boolean;
  /** True if it answers other programs while the engine works, which then has a thread of its own. */
  readonly serves?: boolean;
  /** True if it reads standard input, or starts or ends processes: no session runs it. */
  readonly standsAlone?: boolean;
  /** Further lines of its help. */
  readonly notes?: string;
  run(context: Context, values: Values<Options>): Promise<Result<void>>;
}

export interface Context {
  readonly command: string;
  /** Path of the trace on the command line; empty if there is none. */
  readonly trace: string;
  /** Operands other than the trace, by their names without brackets. */
  readonly operands: Readonly<Record<string, string>>;
  /** The operands of the name that ends with `...`. */
  readonly rest: readonly string[];
  readonly common: Common;
  /** The engine, started by its first request. Without --json, hidden characters in its answers are visible. */
  readonly client: Client;
  /** The same engine, with answers as they are. */
  readonly engine: Client;
  /** Aborted by Ctrl+C, and when the reader of the output has gone. */
  readonly signal: AbortSignal;
  readonly out: Output;
  readonly progress: ProgressLine;
  /** Prints a line on stderr for the person; nothing with --quiet. */
  notify(line: string): void;
  /** Runs command lines of others, as a session does. */
  readonly runLine: RunLine;
  /** The command has found a difference: it ends with exit code 3 if it succeeds. */
  differs(): void;
}

export type StartEngine = (settings: EngineSettings, command: Command) => Engine | Promise<Engine>;

/** Options of a command line: those of every command, and those of its own. */
export interface Given {
  readonly common: Common;
  readonly own: Values<Options>;
}

/** Runs a command line, and returns its exit code; undefined, before anything has happened, if it is wrong or `accepts` refuses it. */
export type RunLine = (
  args: readonly string[],
  start: StartEngine,
  around: Surroundings,
  accepts: (command: Command, given: Given) => boolean,
) => Promise<number | undefined>;

interface CommandOf<O extends Options> extends Omit<Command, 'options' | 'run'> {
  readonly options: O;
  run(context: Context, values: Values<O>): Promise<Result<void>>;
}

/** Defines a command whose `run` sees its own options with their types. */
export function command<O extends Options>(own: CommandOf<O>): Command {
  // Values parsed with `own.options` have the types of `own.options`; this is the only cast.
  return { ...own, run: (context, values) => own.run(context, values as Values<O>) };
}
