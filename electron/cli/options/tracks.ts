/** The tracks below the overview that a person names: `phases`, `Call depth`, `r0`, `0x1000-0x1003`, or the name of a symbol. */
import {
  memoryTrack,
  MOST_BYTES,
  MOST_TRACKS,
  PLAIN_TRACKS,
  registerTrack,
  trackOf,
  trackTitle,
} from '../../../shared/report/time-tracks.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Context } from '../command.ts';
import { NO_SUCH_SYMBOL } from '../failures.ts';
import type { OpenTrace } from '../trace.ts';
import { addressSpan, spanOf, type TypedSpan } from './addresses.ts';
import { several, word } from './options.ts';
import { missing } from './state-at.ts';

const WORDS = 'phases, function, depth, interrupts, accesses, a register such as r0, or memory such as 0x1000-0x1003';
/** Reads the places of memory that a track may show. */
const SPAN = addressSpan('A[-B]', '');

export const TRACK = several(word('NAME', `with -o, this track below the overview: ${WORDS}; repeatable`, 'a track'));

/** Returns the names of tracks as figures have them. `cpu`: of registers; by default the first one that has them. */
export async function tracksOf(
  context: Context,
  trace: OpenTrace,
  names: readonly string[],
  cpu: number | undefined,
): Promise<Result<readonly string[]>> {
  if (names.length > MOST_TRACKS) return missing(context, `a figure shows at most ${MOST_TRACKS} tracks`);
  const tracks: string[] = [];
  for (const name of names) {
    const track =
      plainTrack(name) ?? (trackOf(name) === undefined ? await placeTrack(context, trace, name, cpu) : name);
    if (typeof track === 'object' && !track.ok) return track;
    tracks.push(typeof track === 'string' ? track : track.value);
  }
  return ok(tracks);
}

/** Returns the track that every trace has, by its name or title. */
function plainTrack(name: string): string | undefined {
  const wanted = name.toLowerCase();
  return PLAIN_TRACKS.find((kind) => kind === wanted || trackTitle({ id: kind, kind }).toLowerCase() === wanted);
}

async function placeTrack(
  context: Context,
  trace: OpenTrace,
  name: string,
  cpu: number | undefined,
): Promise<Result<string>> {
  const register = await registerNamed(trace, name, cpu);
  if (!register.ok) return register;
  if (register.value !== undefined) return ok(register.value);
  const span = SPAN.read(name, undefined);
  const isNumber = span?.readings.some(({ low }) => typeof low === 'string') === true;
  const hasSymbols = context.common.image !== undefined;
  if (span === undefined || !(isNumber || hasSymbols)) return unknown(context, name);
  return memoryNamed(context, trace, name, span);
}

async function registerNamed(
  trace: OpenTrace,
  name: string,
  cpu: number | undefined,
): Promise<Result<string | undefined>> {
  const known = await trace.request('registers', { trace: trace.id, at: Number.MAX_SAFE_INTEGER });
  if (!known.ok) return known;
  const { files } = known.value;
  const file = files.find((each) => (cpu === undefined || each.cpu === cpu) && each.registers.some(isNamed));
  const own = file?.registers.find(isNamed);
  if (file === undefined || own === undefined) return ok(undefined);
  return ok(registerTrack({ name: own.name, ...(files.length > 1 && file.cpu !== undefined && { cpu: file.cpu }) }));

  function isNamed(register: { readonly name: string }): boolean {
    return register.name.toLowerCase() === name.toLowerCase();
  }
}

async function memoryNamed(
  context: Context,
  trace: OpenTrace,
  name: string,
  typed: TypedSpan,
): Promise<Result<string>> {
  const span = await spanOf(context, trace, typed);
  if (!span.ok) return span.error.code === NO_SUCH_SYMBOL ? unknown(context, name) : span;
  const low = BigInt(span.value.low);
  const bytes = Number(BigInt(span.value.high) - low) + 1;
  if (bytes > MOST_BYTES)
    return missing(context, `${name} has ${bytes} bytes, but a track shows at most ${MOST_BYTES}`);
  return ok(memoryTrack({ low, bytes }));
}

function unknown(context: Context, name: string): Result<never> {
  return missing(context, `there is no track '${name}'; tracks are ${WORDS}`);
}
