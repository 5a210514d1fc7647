/** Names the functions that were inlined at addresses, and the directories in which source files were compiled. */
import type { Answer, Arguments, ImageProgress } from '../../../../shared/requests/requests.ts';
import type { InlinedCall } from '../../../../shared/requests/source/answers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { DebugScopes, InlinedStretch } from '../../image/elf/dwarf-scopes.ts';
import type { Image } from '../../image/image.ts';
import { readScopesOf } from '../../image/read-images.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';

interface Scopes extends DebugScopes {
  /** Highest end of each stretch and of all before it. */
  readonly reach: readonly bigint[];
}

/** Images share a result if one program is at several places. */
const known = new WeakMap<Image['digest'], Scopes>();

async function scopesIn(image: Image, task: Task<ImageProgress>): Promise<Result<Scopes>> {
  const read = known.get(image.digest);
  if (read !== undefined) return ok(read);
  const found = await readScopesOf(image, task);
  if (!found.ok) return found;
  let highest = 0n;
  const reach = found.value.inlined.map(({ end }) => (highest = end > highest ? end : highest));
  const scopes = { ...found.value, reach };
  known.set(image.digest, scopes);
  return ok(scopes);
}

export async function inlinedAt(
  { images }: Trace,
  { addresses }: Omit<Arguments<'inlinedAt'>, 'trace'>,
  task: Task<ImageProgress>,
): Promise<Result<Answer<'inlinedAt'>>> {
  const calls: InlinedCall[][] = addresses.map(() => []);
  for (const image of images.list) {
    if (image.form !== 'elf') continue;
    const scopes = await scopesIn(image, task);
    if (!scopes.ok) return scopes;
    addresses.forEach((address, i) => {
      if (calls[i]!.length === 0) calls[i] = around(scopes.value, BigInt.asUintN(64, BigInt(address) - image.shift));
    });
  }
  return ok({ calls });
}

/** Most stretches that are examined for an address. */
const MOST_EXAMINED = 1000;

/** Returns the inlined calls around an address, the innermost first. */
function around({ inlined, reach }: Scopes, address: bigint): InlinedCall[] {
  let [low, high] = [0, inlined.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (inlined[middle]!.start <= address) low = middle + 1;
    else high = middle;
  }
  const found: InlinedStretch[] = [];
  for (let at = low - 1, steps = 0; at >= 0 && reach[at]! > address && steps < MOST_EXAMINED; at--, steps++)
    if (inlined[at]!.end > address) found.push(inlined[at]!);
  found.sort((a, b) => b.depth - a.depth);
  return found.map(({ name, file, line }) => ({
    name,
    ...(file !== undefined && { file }),
    ...(line !== undefined && line > 0 && { line }),
  }));
}

/** Returns the directories in which a file with a relative name may have been compiled: those of its unit, or else of all units. */
export async function directoriesOf(image: Image, file: string, task: Task): Promise<Result<readonly string[]>> {
  if (image.form !== 'elf') return ok([]);
  const scopes = await scopesIn(image, task);
  if (!scopes.ok) return scopes;
  const { units } = scopes.value;
  const own = units.filter(({ name }) => name === file);
  const absolute = (own.length > 0 ? own : units)
    .map(({ directory }) => directory)
    .filter((at) => /^(?:[/\\]|[A-Za-z]:)/.test(at));
  return ok([...new Set(absolute)].slice(0, MOST_DIRECTORIES));
}

const MOST_DIRECTORIES = 50;
