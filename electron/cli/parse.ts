/** Parses the words after a command's name: options become values, the others operands. Fails with `usage` and one sentence. */
import { parseArgs } from 'node:util';
import { fail, ok, type Result } from '../../shared/base/result.ts';
import type { Command } from './command.ts';
import { nearest } from './nearest.ts';
import { COMMON_OPTIONS, type Common } from './options/common.ts';
import type { Option, Options, Values } from './options/options.ts';
import { operandNames } from './print/help.ts';

export interface Parsed {
  readonly trace: string;
  /** Operands other than the trace, by their names without brackets. */
  readonly operands: Readonly<Record<string, string>>;
  /** The operands of the name that ends with `...`. */
  readonly rest: readonly string[];
  readonly common: Common;
  readonly own: Values<Options>;
}

export function parse(command: Command, args: readonly string[]): Result<Parsed> {
  const words = split(command.name, { ...COMMON_OPTIONS, ...command.options }, withoutForms(command, args));
  if (!words.ok) return words;
  const { given, positionals } = words.value;
  const own = read(command.options, given);
  const common = read(COMMON_OPTIONS, given);
  if (!own.ok) return own;
  if (!common.ok) return common;
  const parsed = { common: common.value, own: own.value };
  if (parsed.common.help) return ok({ ...parsed, trace: '', operands: {}, rest: [] });
  const operands = operandsOf(command, positionals);
  if (!operands.ok) return operands;
  const { TRACE: trace = '', ...others } = operands.value.named;
  return ok({ ...parsed, trace, operands: others, rest: operands.value.rest });
}

/** Replaces `--format FORM` by the words that stand for this form of output. */
function withoutForms({ forms = {} }: Command, args: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const form = word === '--format' ? args[at + 1] : /^--format=(.*)$/s.exec(word)?.[1];
    if (form === undefined || !Object.hasOwn(forms, form)) words.push(word);
    else {
      words.push(...forms[form]!);
      if (word === '--format') at++;
    }
  }
  return words;
}

/** The texts given for each option, in order. A switch has the text `true`. */
type Given = ReadonlyMap<string, readonly string[]>;

function split(
  command: string,
  options: Options,
  args: readonly string[],
): Result<{ readonly given: Given; readonly positionals: readonly string[] }> {
  const described = Object.entries(options).map(([name, { value, short }]) => [
    name,
    { type: value === '' ? ('boolean' as const) : ('string' as const), ...(short !== undefined && { short }) },
  ]);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(described) as Record<string, { type: 'boolean' | 'string'; short?: string }>,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue = false } = token;
    if (!Object.hasOwn(options, name))
      return fail('usage', noOption(command, options, asTyped(rawName, args[token.index])));
    const isSwitch = options[name]!.value === '';
    if (isSwitch && value !== undefined) return fail('usage', `--${name} takes no value`);
    if (!isSwitch && (value === undefined || (!inlineValue && isOption(value)))) {
      return fail('usage', `--${name} needs a value`);
    }
    const texts = given.get(name) ?? [];
    given.set(name, [...texts, value ?? 'true']);
  }
  return ok({ given, positionals });
}

/** True for `--json` and `-x`, which a person hardly meant as a value; `-1` is a number and is checked as a value. */
function isOption(text: string): boolean {
  return /^-[^\d]/.test(text);
}

/** Returns the whole word of an unknown short option: `-from`, of which `parseArgs` reports `-f`. */
function asTyped(rawName: string, word = ''): string {
  const typed = word.startsWith(rawName) ? word : rawName;
  return typed.replace(/=.*/s, '');
}

function noOption(command: string, options: Options, typed: string): string {
  const known = Object.keys(options).map((name) => `--${name}`);
  const hint = suggestion(typed.replace(/^-(?=\w\w)/, '--'), known);
  return `${command}: there is no option ${typed}${hint}; \`tracebench help ${command}\` lists them`;
}

/** Returns `, perhaps --address` if one of the known words is similar. */
export function suggestion(typed: string, known: readonly string[]): string {
  const similar = nearest(typed, known);
  return similar === undefined ? '' : `, perhaps ${similar}`;
}

function read<O extends Options>(options: O, given: Given): Result<Values<O>> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries<Option<unknown>>(options)) {
    const texts = [...new Set(given.get(name))];
    if (texts.length > 1 && option.repeatable !== true) {
      const several = texts.map((text) => `'${text}'`).join(' and ');
      return fail('usage', `--${name} is given more than once, as ${several}; give it once`);
    }
    for (const text of texts) {
      const value = option.read(text, values[name]);
      if (value === undefined) return fail('usage', `--${name} must be ${option.must}, not '${text}'`);
      values[name] = value;
    }
  }
  return ok(values as Values<O>);
}

interface Operands {
  readonly named: Readonly<Record<string, string>>;
  readonly rest: readonly string[];
}

function operandsOf(command: Command, given: readonly string[]): Result<Operands> {
  const all = operandNames(command);
  const takesRest = all.at(-1)?.endsWith('...]') === true;
  const names = takesRest ? all.slice(0, -1) : all;
  const positionals = takesRest ? given.slice(0, names.length) : given;
  const rest = given.slice(positionals.length);
  if (rest.includes('')) return fail('usage', `${command.name}: an operand is empty`);
  if (positionals.length > names.length) {
    return fail('usage', `${command.name}: '${positionals[names.length] ?? ''}' is one argument too many`);
  }
  // A script that leaves a variable empty passes an empty word.
  const missing = names.filter((name, i) => !positionals[i] && !name.startsWith('['));
  if (missing.length > 0) {
    const words = missing.map((name) =>
      name === 'TRACE' ? 'a trace file' : name === 'ID' ? 'an id' : `a ${name.toLowerCase()}`,
    );
    return fail('usage', `${command.name}: name ${words.join(' and ')}`);
  }
  const arranged = command.arrange?.(positionals) ?? positionals;
  const named = arranged.map((text, i): [string, string] => [(names[i] ?? '').replaceAll(/[[\]]/g, ''), text]);
  return ok({ named: Object.fromEntries(named), rest });
}
