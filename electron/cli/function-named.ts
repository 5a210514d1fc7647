/** Finds the function that an option of a command about calls names. */
import type { CallFunction } from '../../shared/requests/flow.ts';
import { fail, ok, type Result } from '../../shared/base/result.ts';
import { visible } from '../../shared/base/visible.ts';
import { parseAddress, toHex } from '../../shared/base/units.ts';
import type { Context } from './command.ts';
import type { OpenTrace } from './trace.ts';

/** Returns the function with a name, another name or an address. Fails if there is none, or several have the name. */
export async function functionNamed<F extends CallFunction>(
  { command }: Context,
  trace: OpenTrace,
  wanted: string,
  functions: readonly F[],
): Promise<Result<F>> {
  const value = parseAddress(wanted);
  // Hidden characters in the answer may have been made visible.
  const names = [wanted, visible(wanted)];
  const address = value === undefined ? undefined : toHex(value);
  const found =
    functions.find(({ name }) => names.includes(name)) ??
    functions.find(({ aliases, id }) => id === wanted || aliases.some((alias) => names.includes(alias))) ??
    functions.find((one) => address !== undefined && one.address === address);
  if (found) return ok(found);
  const named = await trace.request('symbolsNamed', { trace: trace.id, name: wanted });
  if (!named.ok) return named;
  const places = new Set(named.value.symbols.map(({ address: place }) => place));
  const [only, ...others] = functions.filter((one) => one.address !== undefined && places.has(one.address));
  if (only && others.length > 0) {
    const list = [only, ...others].map(({ name, address: at }) => `${name} at ${at}`).join(', ');
    return fail(
      'usage',
      `${command}: several functions are called ${wanted}: ${list}; give the whole name or the address`,
    );
  }
  if (only) return ok(only);
  return fail(
    'usage',
    `${command}: no function ${wanted} calls or is called in these records; \`tracebench ${command}\` lists the functions`,
  );
}
