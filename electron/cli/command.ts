/** What a command of the command line is: one file, one line in the list; parsing and help derive from it. */
import type { Client } from '../../shared/requests/requests.ts';
import type { Result } from '../../shared/base/result.ts';
import type { Common } from './common-options.ts';
import type { Option } from './options.ts';
import type { Output } from './output.ts';
import type { ProgressLine } from './progress-line.ts';

export type Options = Readonly<Record<string, Option<unknown>>>;
/** What was given for each option; an option that was not given is absent. */
export type Values<O extends Options> = { readonly [K in keyof O]?: O[K] extends Option<infer T> ? T : never };

export interface Command {
  /** One word, or two where the first has several: `notes list`. */
  readonly name: string;
  /** One phrase for the list of commands. */
  readonly text: string;
  readonly trace: 'needed' | 'optional' | 'none';
  /** What is named on the command line in this order where that is not just the trace, which is `TRACE`; `[X]` may be missing. */
  readonly operands?: readonly string[];
  /** The same in the order of `operands`, where people may name them in another one. */
  arrange?(given: readonly string[]): readonly string[];
  readonly options: Options;
  /** It begins with work of the decode workers. */
  readonly decodes?: boolean;
  /** Further lines of its help. */
  readonly notes?: string;
  run(context: Context, values: Values<Options>): Promise<Result<void>>;
}

export interface Context {
  readonly command: string;
  /** The file named on the command line; empty where there is none. */
  readonly trace: string;
  /** What else is named there, by the names in `operands` without brackets. */
  readonly operands: Readonly<Record<string, string>>;
  readonly common: Common;
  /** The engine, started at its first call. */
  readonly client: Client;
  /** Aborted by Ctrl+C, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
  readonly out: Output;
  readonly progress: ProgressLine;
  /** A line on stderr for the person; nothing with --quiet. */
  tell(line: string): void;
}

interface CommandOf<O extends Options> extends Omit<Command, 'options' | 'run'> {
  readonly options: O;
  run(context: Context, values: Values<O>): Promise<Result<void>>;
}

/** A command whose `run` sees its own options with their types. */
export function command<O extends Options>(own: CommandOf<O>): Command {
  // The one place where what was parsed by `own.options` gets the types that `own.options` give it.
  return { ...own, run: (context, values) => own.run(context, values as Values<O>) };
}
