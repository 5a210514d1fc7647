/** Completes the settings of a decoder: checks the given ones and adds defaults. */
import type { Format, Settings } from './format.ts';
import { fail, ok, type Result } from '../base/result.ts';

/** Fails with one sentence on an option or value that the format does not have. Free-text options are not checked. */
export function completeSettings({ id, options }: Pick<Format, 'id' | 'options'>, given: Settings): Result<Settings> {
  const names = options.map(({ name }) => name);
  for (const [name, value] of Object.entries(given)) {
    const option = options.find((one) => one.name === name);
    if (option === undefined) {
      const has = names.length === 0 ? 'no options' : listOf(names, 'and');
      return fail('unknown-option', `${id} has no option ${name}: it has ${has}`);
    }
    if (option.values.length > 0 && !option.values.includes(value)) {
      return fail('unknown-value', `${id} cannot read ${name}=${value}: choose ${listOf(option.values, 'or')}`);
    }
  }
  return ok(Object.fromEntries(options.map((option) => [option.name, given[option.name] ?? option.default])));
}

function listOf(words: readonly string[], last: string): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)!}`;
}
