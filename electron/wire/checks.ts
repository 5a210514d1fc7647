/** What checks of arguments are made of: each says where a value is wrong and what it must be, or nothing. */

/** Where a value is wrong, and what it must be; undefined for a right one. */
export type Problem = { readonly at: string; readonly must: string } | undefined;

export type Check = (value: unknown) => Problem;

export interface Field {
  readonly check: Check;
  readonly needed: boolean;
}

/** Of an object: a field for each name, and what must hold of several of them. */
export type Schema = { readonly checks?: readonly Check[]; readonly fields: Readonly<Record<string, Field>> };

export function number(low: number, high: number): Check {
  return rule(
    (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= low && value <= high,
    `must be a whole number from ${low} to ${high}`,
  );
}

export function text(most: number, least = 1): Check {
  return rule(
    (value) => typeof value === 'string' && value.length >= least && value.length <= most && !value.includes('\0'),
    `must be a text of ${least} to ${most} characters`,
  );
}

export function object({ fields, checks = [] }: Schema): Check {
  return (value) => {
    if (!isObject(value)) return { at: '', must: 'must be an object' };
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
    if (unknown !== undefined) return { at: unknown, must: 'is not an argument of this request' };
    const wrong = first(Object.entries(fields), ([key, { check, needed }]) => {
      const item = value[key];
      if (item === undefined) return needed ? { at: key, must: 'is missing' } : undefined;
      return within(key, check(item));
    });
    return wrong ?? first(checks, (check) => check(value));
  };
}

export function list(item: Check, most: number, least = 1): Check {
  return (value) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) {
      return { at: '', must: `must be a list of ${least} to ${most} items` };
    }
    return first(Array.from(value.entries()), ([i, element]) => within(`[${i}]`, item(element)));
  };
}

export function rule(test: (value: unknown) => boolean, must: string): Check {
  return (value) => (test(value) ? undefined : { at: '', must });
}

export function need(check: Check): Field {
  return { check, needed: true };
}

export function may(check: Check): Field {
  return { check, needed: false };
}

export function within(at: string, problem: Problem): Problem {
  if (problem === undefined) return undefined;
  const joint = problem.at === '' || problem.at.startsWith('[') || problem.at.startsWith('.') ? '' : '.';
  return { at: `${at}${joint}${problem.at}`, must: problem.must };
}

export function first<T>(items: readonly T[], problem: (item: T) => Problem): Problem {
  for (const item of items) {
    const found = problem(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
