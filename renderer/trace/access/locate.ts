/**
 * Finds the record that touched an address span or set a register, before or after a given record, with the value before and after.
 *
 * The request `access` covers memory and registers. Executed addresses and I/O ports are searched with `find`, and the nearer of both
 * answers wins. Executions and port accesses have no value before and after.
 */
import type { AccessFound, AccessWay } from '../../../shared/requests/requests.ts';
import type { Kind } from '../../../shared/records/record.ts';
import type { Result } from '../../../shared/base/result.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { AddressSpan, RegisterName } from '../cursor.svelte.ts';
import type { TraceBase } from '../trace-base.ts';

/** Address span or register that is searched for. */
export type Subject =
  | { readonly kind: 'memory'; readonly span: AddressSpan }
  | { readonly kind: 'register'; readonly register: RegisterName };

export interface Wanted {
  readonly subject: Subject;
  readonly way: AccessWay;
  /** `last` ways search this record and earlier ones, `next` ways search later ones. -1 with a `last` way finds nothing. */
  readonly at: number;
}

export type Located = AccessFound;

export async function locate(trace: TraceBase, wanted: Wanted, signal: AbortSignal): Promise<Result<Located>> {
  const { subject, way, at } = wanted;
  const { client, id: open } = trace;
  if (at < 0) return { ok: true, value: { record: null, reach: trace.reach } };
  if (subject.kind === 'register') {
    const { name, cpu } = subject.register;
    const args = { trace: open, way, at, register: name, ...(cpu === undefined ? {} : { cpu }) };
    return client.request('access', args, { signal });
  }
  const { low, bytes } = subject.span;
  const address = { low: toHex(low), high: toHex(low + BigInt(bytes) - 1n) };
  const others = othersOf(trace, way);
  const [memory, other] = await Promise.all([
    client.request('access', { trace: open, way, at, address }, { signal }),
    others.length === 0
      ? undefined
      : client.request(
          'find',
          {
            trace: open,
            address,
            kinds: others,
            limit: 1,
            ...(isBackwards(way) ? { before: at + 1 } : { after: at }),
          },
          { signal },
        ),
  ]);
  if (!memory.ok || other === undefined) return memory;
  if (!other.ok) return other;
  const found = other.value.records[0];
  const held = memory.value.record;
  if (!found || (held && isBackwards(way) === held.n > found.n)) return memory;
  return { ok: true, value: { record: found, reach: other.value.reach } };
}

export function isBackwards(way: AccessWay): boolean {
  return way.startsWith('last');
}

/** Returns the kinds that touch addresses without being memory accesses, except kinds that the trace is known not to contain. */
function othersOf(trace: TraceBase, way: AccessWay): readonly Kind[] {
  const kinds = way.endsWith('write') ? ['io-write' as const] : way.endsWith('read') ? ['io-read' as const] : ANY;
  const { info } = trace;
  // Counts are only conclusive once the index is complete.
  return info?.index.complete === true ? kinds.filter((kind) => (info.kinds[kind] ?? 0) > 0) : kinds;
}

const ANY: readonly Kind[] = ['instruction', 'skipped', 'branch', 'io-read', 'io-write'];
