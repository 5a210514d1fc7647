/** The search form, and the criteria that it describes. */
import type { Criteria } from '../../../shared/requests/requests.ts';
import type { Kind } from '../../../shared/records/record.ts';
import { counted } from '../../../shared/base/numbers.ts';
import type { Hex } from '../../../shared/base/units.ts';
import type { Range } from '../cursor.svelte.ts';

export interface SearchForm {
  /** A regular expression. */
  readonly text: string;
  readonly kind: Kind | '';
  /** An address, a span or an address with a length. */
  readonly address: string;
  readonly value: string;
  /** Number of bytes of the value; empty = the whole value that is moved or set. */
  readonly width: string;
  readonly register: string;
  /** Search only the range that the charts show. */
  readonly inRange: boolean;
}

export const EMPTY_FORM: SearchForm = {
  text: '',
  kind: '',
  address: '',
  value: '',
  width: '',
  register: '',
  inRange: false,
};

export type ReadForm =
  | { readonly kind: 'criteria'; readonly criteria: Criteria }
  | { readonly kind: 'empty' }
  | { readonly kind: 'unclear'; readonly field: keyof SearchForm; readonly why: string };

/** @param range range that the charts show; null = the whole trace */
export function readForm(form: SearchForm, range: Range | null): ReadForm {
  const text = readText(form.text);
  if (text !== undefined) return { kind: 'unclear', field: 'text', why: text };
  const address = readSpan(form.address);
  if (address === null)
    return unclear('address', 'Type an address such as 0x8000, or a span such as 0x8000-0x8fff or 0x8000+16.');
  const value = readValue(form.value);
  if (value === null) return unclear('value', 'Type a value such as 0x1f or 31.');
  const width = form.width === '' || value === undefined ? undefined : Number(form.width);
  if (value !== undefined && width !== undefined && value >= 256n ** BigInt(width))
    return unclear('value', `${hex(value)} does not fit in ${counted(width, 'byte')}.`);
  const register = form.register.trim();
  const criteria: Criteria = {
    ...(form.text === '' ? {} : { text: form.text }),
    ...(form.kind === '' ? {} : { kinds: [form.kind] }),
    ...(address === undefined ? {} : { address }),
    ...(value === undefined ? {} : { value: hex(value) }),
    ...(width === undefined ? {} : { width }),
    ...(register === '' ? {} : { register }),
  };
  if (Object.keys(criteria).length === 0) return { kind: 'empty' };
  const within = form.inRange && range ? { from: Math.floor(range.from), to: Math.ceil(range.to) } : {};
  return { kind: 'criteria', criteria: { ...criteria, ...within } };
}

/** Returns criteria in a few words: `ldr, write, 0x8000 to 0x8fff`. */
export function criteriaText({ text, kinds, address, value, register }: Criteria): string {
  const span = address && (address.low === address.high ? address.low : `${address.low} to ${address.high}`);
  return [text, kinds?.join(' or '), span, value && `value ${value}`, register].filter(Boolean).join(', ');
}

function unclear(field: keyof SearchForm, why: string): ReadForm {
  return { kind: 'unclear', field, why };
}

/** Returns the error in a regular expression, or undefined if it is valid. */
function readText(text: string): string | undefined {
  try {
    new RegExp(text, 'u');
    return undefined;
  } catch (problem) {
    const why = problem instanceof Error ? problem.message : String(problem);
    return `This is not a valid regular expression: ${why.replace(/^Invalid regular expression: .*: /, '')}.`;
  }
}

/** Returns undefined for empty text, null for text that is not a span. */
function readSpan(text: string): { readonly low: Hex; readonly high: Hex } | undefined | null {
  const plain = text.replaceAll(/[_\s]/g, '');
  if (plain === '') return undefined;
  const parts = /^(?:0x)?([0-9a-f]{1,16})(?:-(?:0x)?([0-9a-f]{1,16})|\+(0x[0-9a-f]{1,16}|\d{1,18}))?$/i.exec(plain);
  if (!parts) return null;
  const low = BigInt(`0x${parts[1]}`);
  const high = parts[2] !== undefined ? BigInt(`0x${parts[2]}`) : low + (BigInt(parts[3] ?? 1) || 1n) - 1n;
  return high < low || high >= 1n << 64n ? null : { low: hex(low), high: hex(high) };
}

function readValue(text: string): bigint | undefined | null {
  const plain = text.replaceAll(/[_\s]/g, '');
  if (plain === '') return undefined;
  return /^(?:0x[0-9a-f]{1,512}|\d{1,600})$/i.test(plain) ? BigInt(plain) : null;
}

function hex(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}
