/** Questions: which register or memory at which record, from the facts of a menu, from the cursor, or as a person types them. */
import { effectsOf, LONGEST } from '../../../shared/records/attach.ts';
import { group } from '../../../shared/base/numbers.ts';
import { isInstruction, type RecordView } from '../../../shared/records/record.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { toHex, type Hex, type RecordNumber } from '../../../shared/base/units.ts';
import { WHY_BYTES_MOST, type Bytes } from '../../../shared/requests/why.ts';
import type { AddressSpan, RegisterName } from '../../trace/cursor.svelte.ts';
import { parsePlace } from '../../trace/place.ts';
import { findSymbols, spanOf } from '../../trace/symbols.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import type { Facts } from '../../workbench/context/facts.ts';

/** A register or memory after record `at`, or why its instruction was reached. */
export interface WhySubject {
  readonly at: RecordNumber;
  readonly register?: string;
  readonly cpu?: number;
  readonly address?: Hex;
  /** Bytes of memory. */
  readonly length?: number;
  readonly pc?: true;
  /** Where the value went after the record. */
  readonly forward?: true;
}

export function registerSubject(at: RecordNumber, { name, cpu }: RegisterName): WhySubject {
  return { at, register: name, ...(cpu !== undefined && { cpu }) };
}

export function memorySubject(at: RecordNumber, { low, bytes }: AddressSpan): WhySubject {
  const length = Math.min(bytes, WHY_BYTES_MOST);
  return { at, address: toHex(low), ...(length > 1 && { length }) };
}

/**
 * Returns the question about the thing, or about the subject of the access keys at the cursor; undefined if there is none. The address of an
 * instruction at its own record stands for its result: a choice of its row chooses that address, but people ask about what it set. The
 * records are requested, because a person may press the key before a list has received them.
 */
export async function subjectAbout(trace: Trace, about?: Facts): Promise<Result<WhySubject | undefined>> {
  const { cursor, accessSearch, client, id } = trace;
  const at = about?.record ?? cursor.n;
  const { subject } = accessSearch;
  const register = about ? about.register : subject?.kind === 'register' ? subject.register : undefined;
  const address = about ? about.address : subject?.kind === 'memory' ? subject.span : undefined;
  if (register) return ok(registerSubject(at, register));
  const received = await client.request('records', { trace: id, from: at, count: 1 + LONGEST });
  if (!received.ok) return received;
  const { records } = received.value;
  const [record] = records;
  const isInstructionOf =
    record && isInstruction(record.kind) && (address === undefined || toHex(address.low) === record.address);
  if (isInstructionOf) return ok(resultOf(records));
  return ok(address && memorySubject(at, address));
}

/** Returns the question about the first result that the trace records of an instruction, the first record; undefined if there is none. */
function resultOf(records: readonly RecordView[]): WhySubject | undefined {
  const at = records[0]?.n ?? 0;
  const effects = effectsOf(at, (n) => records[n - at]);
  const set = effects.find(({ kind, register }) => kind === 'register' && register !== undefined);
  if (set?.register !== undefined)
    return registerSubject(set.n, { name: set.register, ...(set.cpu !== undefined && { cpu: set.cpu }) });
  const written = effects.find(({ kind, address }) => kind === 'write' && address !== undefined);
  return written?.address === undefined
    ? undefined
    : memorySubject(written.n, { low: BigInt(written.address), bytes: written.size ?? 1 });
}

/** Returns the question about bytes that an instruction at record `n` used, and so had before it. */
export function subjectBefore(n: RecordNumber, bytes: Bytes): WhySubject {
  const at = Math.max(0, n - 1);
  return 'register' in bytes
    ? registerSubject(at, { name: bytes.register, ...(bytes.cpu !== null && { cpu: bytes.cpu }) })
    : memorySubject(at, { low: BigInt(bytes.address), bytes: bytes.length });
}

/** Reads a register or an address as a person types it. */
export function readSubject(text: string, at: RecordNumber): Result<WhySubject> {
  const typed = text.trim();
  if (typed === '') return fail('empty', 'Type a register such as r0, or an address such as 0x8000 or 0x8000+4.');
  const place = parsePlace(typed);
  if (place.kind === 'unclear') return fail('unclear', place.why);
  if (place.kind === 'address') {
    return place.bytes > WHY_BYTES_MOST
      ? fail('unclear', `The origin of at most ${WHY_BYTES_MOST} bytes can be requested.`)
      : ok(memorySubject(at, place));
  }
  if (typed.toLowerCase() === PC) return ok({ at, pc: true });
  if (place.kind !== 'symbol') return fail('unclear', 'Type a register such as r0, or an address such as 0x8000.');
  const register = /^(\S+)\s+of\s+CPU\s+(\d+)$/i.exec(typed);
  return ok(
    register
      ? registerSubject(at, { name: register[1] ?? '', cpu: Number(register[2]) })
      : registerSubject(at, { name: typed }),
  );
}

/** Returns the question about the memory of a symbol, if its name was taken for that of a register that the trace does not have. */
export async function withSymbol(trace: Trace, subject: WhySubject): Promise<Result<WhySubject>> {
  const { client, id, last, source } = trace;
  const { at, register } = subject;
  const place = register === undefined ? undefined : parsePlace(register);
  if (place?.kind !== 'symbol' || (source.images ?? []).length === 0) return ok(subject);
  const [registers, found] = await Promise.all([
    client.request('registers', { trace: id, at: Math.min(at, last) }),
    findSymbols(trace, place.text, 1),
  ]);
  const isSame = (name: string | undefined): boolean => name?.toLowerCase() === place.text.toLowerCase();
  const isRegister =
    registers.ok && registers.value.files.some(({ registers: all }) => all.some(({ name }) => isSame(name)));
  const symbol = found.ok ? found.value.symbols[0] : undefined;
  if (isRegister || !symbol || !(isSame(symbol.name) || isSame(symbol.symbol))) return ok(subject);
  const span = spanOf(symbol, place.offset);
  return span.bytes > WHY_BYTES_MOST
    ? fail(
        'unclear',
        `${symbol.name} has ${group(span.bytes)} bytes, and the origin of at most ${WHY_BYTES_MOST} can be requested: type ${toHex(span.low)}+4.`,
      )
    : ok(memorySubject(at, span));
}

/** Returns a question as `readSubject` reads it. */
export function subjectText({ register, cpu, address = '0x0', length = 1, pc }: WhySubject): string {
  if (pc) return PC;
  if (register !== undefined) return cpu === undefined || cpu === 0 ? register : `${register} of CPU ${cpu}`;
  return length === 1 ? address : `${address}+${length}`;
}

/** Name of the program counter in the field: its value is the instruction that was reached. */
const PC = 'pc';
