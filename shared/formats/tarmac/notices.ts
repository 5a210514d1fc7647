/**
 * Finds the lines that report an exception, an interrupt or the end of one, for the flow reader.
 *
 *     E 00001004 0000000f CoreEvent_SYSTICK                      address of the instruction that was interrupted or caused it
 *     INFO_EXCEPTION_REASON: PHASE=ACTIVATE .. PC=0x00001004 VECTOR=SYSTICK ..     the same; PHASE=DEACTIVATE ends it
 *     E INT_TAKEN 0f, E INT_RETURN 0f                            number of the exception, in the RTL of Cortex-M0 and M0+
 *     E PC_ADVANCED 00000112, E PC_NOT_ADVANCED 00000110         there: address at which the following INT_TAKEN interrupts
 *     EXC [0x280] IRQ Current EL with SP_ELx                     no address
 *
 * Sources: Fast Models Reference Guide, Tarmac Trace (E lines); the tracer `cm0_tarmac.v` of Cortex-M0. Exception numbers: Armv6-M
 * Architecture Reference Manual, B1.5.2. 2 is NMI, 14 PendSV, 15 SysTick, those above are external interrupts; the others are exceptions.
 */
import { textOf } from '../../base/scan.ts';
import type { Notice } from '../../flow/events.ts';
import { POINT } from '../../flow/point.ts';
import type { Window } from '../../format/format.ts';
import { FLAG, type Batch } from '../../records/batch.ts';
import { KIND } from '../../records/record.ts';
import { WORD } from './codes.ts';

/** No line that reports an exception has its words after this many bytes. */
const FRONT = 300;

export function noticeOf({ bytes, base }: Window, batch: Batch, row: number): Notice | undefined {
  const isReason = batch.native[row] === WORD.INFO_EXCEPTION_REASON;
  if (batch.kind[row] === KIND.other && !isReason) return undefined;
  const start = batch.start[row]! - base;
  const text = textOf(bytes, start, Math.min(batch.end[row]! - base, start + FRONT));
  if (isReason) return ofReason(text);
  const core = /\bCoreEvent_(\w+)/.exec(text)?.[1];
  if (core !== undefined) {
    const has = (batch.flags[row]! & FLAG.address) !== 0;
    const at = has ? { low: batch.addressLow[row]!, high: batch.addressHigh[row]! } : undefined;
    return ofVector(core, at);
  }
  const [, event, number = ''] =
    /\bE\s+(INT_TAKEN|INT_RETURN|PC_ADVANCED|PC_NOT_ADVANCED)\b\s*([\da-f]*)/i.exec(text) ?? [];
  if (event !== undefined) return ofRtl(event, Number.parseInt(number, 16));
  if (!/\bEXC\b/.test(text) || /reset/i.test(text)) return undefined;
  return { mark: /\b(IRQ|FIQ|interrupt)\b/i.test(text) ? POINT.interrupt : POINT.exception };
}

/** M-profile cores: external interrupts, SysTick, PendSV, NMI. Others: IRQ and FIQ, as in `handleIRQ` and `CURRENT_SPx_FIQ`. */
const INTERRUPTS = /(IRQ|FIQ)$|^(EXT_INT\w*|SYSTICK|PENDSV|NMI)(_N?S)?$/i;
/** These move execution nowhere, or to no handler. */
const NO_EXCEPTIONS = /^(RESET|ModeChange)/i;

function ofVector(vector: string, at: Notice['at']): Notice | undefined {
  if (NO_EXCEPTIONS.test(vector)) return undefined;
  return { mark: INTERRUPTS.test(vector) ? POINT.interrupt : POINT.exception, ...(at !== undefined && { at }) };
}

function ofReason(text: string): Notice | undefined {
  const { PHASE, VECTOR, PC } = Object.fromEntries(
    [...text.matchAll(/\b(PHASE|VECTOR|PC)=(\w+)/g)].map(([, name, value]) => [name, value] as const),
  ) as Readonly<Partial<Record<string, string>>>;
  if (VECTOR === undefined) return undefined;
  if (PHASE === 'DEACTIVATE') return { mark: POINT.ended };
  return PHASE === 'ACTIVATE' ? ofVector(VECTOR, addressOf(PC)) : undefined;
}

function addressOf(text: string | undefined): Notice['at'] {
  const digits = text === undefined ? undefined : /^(?:0x)?([\da-f]{1,16})$/i.exec(text)?.[1]?.padStart(16, '0');
  if (digits === undefined) return undefined;
  return { low: Number.parseInt(digits.slice(8), 16), high: Number.parseInt(digits.slice(0, 8), 16) };
}

const NMI = 2;
const PENDSV = 14;

function ofRtl(event: string, number: number): Notice | undefined {
  if (Number.isNaN(number)) return undefined;
  switch (event.toUpperCase()) {
    case 'INT_TAKEN':
      return { mark: number === NMI || number >= PENDSV ? POINT.interrupt : POINT.exception };
    case 'INT_RETURN':
      return { mark: POINT.ended };
    default:
      return { mark: 0, at: { low: number, high: 0 } };
  }
}
