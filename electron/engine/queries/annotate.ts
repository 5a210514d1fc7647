/** What images tell of records: the symbol of each address. What no image tells is left out. */
import { KINDS, MOVES, type Kind, type RecordView } from '../../../shared/record.ts';
import { ok, type Result } from '../../../shared/result.ts';
import { symbolText } from '../image/symbols.ts';
import type { Images } from '../image/images.ts';
import type { Trace } from '../trace.ts';

/** The answer of a question about records with what the trace's images tell of them. */
export function withImages<A extends { readonly records: readonly RecordView[] }>(
  { images }: Trace,
  answer: Result<A>,
): Result<A> {
  if (!answer.ok || images.list.length === 0) return answer;
  return ok({ ...answer.value, records: answer.value.records.map((record) => annotated(images, record)) });
}

/** Kinds whose address is one of memory, and not a port, a vector or a message's own. */
const IN_MEMORY: ReadonlySet<Kind> = new Set([
  'instruction',
  'skipped',
  'branch',
  'exception',
  ...KINDS.filter((_, code) => MOVES[code] === 1),
]);

export function annotated(images: Images, record: RecordView): RecordView {
  const { kind, address, target, source } = record;
  const symbol = IN_MEMORY.has(kind) ? symbolOf(images, address) : undefined;
  const targetSymbol = symbolOf(images, target);
  const sourceSymbol = symbolOf(images, source);
  return {
    ...record,
    ...(symbol === undefined ? {} : { symbol }),
    ...(targetSymbol === undefined ? {} : { targetSymbol }),
    ...(sourceSymbol === undefined ? {} : { sourceSymbol }),
  };
}

function symbolOf(images: Images, address: string | undefined): string | undefined {
  const hit = address === undefined ? undefined : images.symbolAt(BigInt(address));
  return hit && symbolText(hit);
}
