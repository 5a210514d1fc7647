/** Finds symbols of a trace's images by a part of their names. */
import type { Answer, NamedSymbol } from '../../shared/requests/requests.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import type { SymbolPlace } from '../../shared/requests/places/symbol-place.ts';
import type { AddressSpan } from './cursor.svelte.ts';
import type { TraceBase } from './trace-base.ts';

/** Number of candidates that a message names. */
const LISTED = 4;

type SymbolSource = Pick<TraceBase, 'client' | 'id'>;

/** Returns an exact match first, followed by names that begin with the text. */
export function findSymbols(
  { client, id }: SymbolSource,
  text: string,
  most: number,
): Promise<Result<Answer<'symbols'>>> {
  return client.request('symbols', { trace: id, text, most });
}

/** Returns all bytes of an object, the entry point of a function, or the byte at an offset. */
export function spanOf({ kind, address, bytes = 1 }: NamedSymbol, offset: bigint): AddressSpan {
  const low = BigInt.asUintN(64, BigInt(address) + offset);
  return { low, bytes: kind === 'object' && offset === 0n ? Math.max(1, bytes) : 1 };
}

/**
 * Returns the address of the symbol with this raw or demangled name, which may lack its parameters, or null if no image has one. Fails if
 * the name can mean several symbols.
 */
export async function addressOfSymbol(
  trace: SymbolSource,
  { text, offset }: SymbolPlace,
): Promise<Result<bigint | null>> {
  const found = await findSymbols(trace, text, 1);
  if (!found.ok) return found;
  const first = found.value.symbols[0];
  const names = [first?.name, first?.symbol].map((name) => name?.toLowerCase());
  if (first && names.includes(text.toLowerCase())) return ok(spanOf(first, offset).low);
  const named = await trace.client.request('symbolsNamed', { trace: trace.id, name: text });
  if (!named.ok) return named;
  const [only, ...others] = named.value.symbols;
  if (others.length === 0) return ok(only === undefined ? null : spanOf(only, offset).low);
  const list = named.value.symbols.slice(0, LISTED).map(({ name, address }) => `${name} at ${address}`);
  return fail(
    'ambiguous',
    `Several symbols are called ${text}: ${list.join(', ')}. Type the whole name or the address.`,
  );
}
