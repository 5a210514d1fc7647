/** Search criteria in the form that threads send to each other. */
import type { Criteria } from '../../../../shared/requests/requests.ts';
import { KIND, kindBits } from '../../../../shared/records/record.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { spanOf, type Span } from '../records/span.ts';

export interface Question {
  /** Bit k set: records of KINDS[k] may match. */
  readonly kinds: number;
  readonly span: Span | undefined;
  readonly value: WantedValue | undefined;
  readonly register: string | undefined;
  /** A regular expression that compiles with the flag u. */
  readonly text: string | undefined;
}

export interface WantedValue {
  readonly value: bigint;
  /** Length of the value in adjacent bytes anywhere in the data of a record. If undefined, the data of a record must equal the value. */
  readonly width: number | undefined;
}

export function readQuestion(criteria: Criteria): Result<Question> {
  const { address, value, width, register, text } = criteria;
  if (text !== undefined) {
    const problem = problemWith(text);
    if (problem !== undefined) return fail('usage', `'${text}' is not a regular expression: ${problem}`);
  }
  if (width !== undefined && value === undefined) return fail('usage', 'a width requires a value; give both');
  if (width !== undefined && BigInt(value ?? 0) >= 256n ** BigInt(width))
    return fail('usage', `${String(value)} does not fit ${String(width)} ${width === 1 ? 'byte' : 'bytes'}`);
  const kinds = kindBits(criteria.kinds);
  return ok({
    // Only register records set a register.
    kinds: register === undefined ? kinds : kinds & (1 << KIND.register),
    span: address === undefined ? undefined : spanOf(BigInt(address.low), BigInt(address.high)),
    value: value === undefined ? undefined : { value: BigInt(value), width },
    register,
    text,
  });
}

function problemWith(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error.message;
  }
}
