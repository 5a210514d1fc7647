/** Exclusive loads and stores of AArch32. */
import { access, conditionally, copy, extend, partOf, receive, register, type Draft } from '../draft.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import { general } from './arm-registers.ts';

export interface Exclusive {
  readonly base: RegisterSpan;
  readonly bytes: number;
  readonly displacement: number;
  readonly loads: boolean;
  readonly rt: number;
  /** Second register of eight bytes; the one after `rt` if absent. */
  readonly rt2?: number;
  /** Register that receives whether the store happened. */
  readonly status: number;
}

/** A store may store nothing: the monitor of the processor decides. */
export function exclusive(draft: Draft, { base, bytes, displacement, loads, rt, rt2, status }: Exclusive): void {
  const place = access(draft, loads ? 'read' : 'write', bytes, [base], { base, scale: 1, displacement, bits: 32 });
  const numbers = bytes === 8 ? [rt, rt2 ?? rt + 1] : [rt];
  const each = Math.min(bytes, 4);
  numbers.forEach((n, k) => {
    const part = partOf(place, 4 * k, each);
    if (loads) extend(draft, general(n), part, each, false);
    else copy(draft, part, register(span(general(n).low, each)));
  });
  if (loads) return;
  draft.definitions = draft.definitions.map((definition) => conditionally(definition, []));
  receive(draft, general(status));
}
