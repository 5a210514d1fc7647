/** Compares the effects of two aligned instructions: values that both sides prove after them, and their accesses in order. */
import type { Kind } from '../../../../../shared/records/record.ts';
import { ANY_REGISTER } from '../../../../../shared/records/registers.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import { toHex, type Hex } from '../../../../../shared/base/units.ts';
import { registerNames } from '../ignored/ignored-names.ts';
import type { Access, Effective, Setting } from './effects.ts';
import type { KnownRegisters } from './known-registers.ts';

export interface Rules {
  /** Addresses of the second program minus those of the first: values that differ by it are moved pointers. */
  readonly shift: bigint;
  /** In lower case. */
  readonly ignored: ReadonlySet<string>;
  /** Kinds of accesses that both traces record. */
  readonly kinds: ReadonlySet<Kind>;
}

/** Returns the first difference in words; undefined if there is none that both sides prove. */
export function differenceOf(
  a: Effective,
  b: Effective,
  [knownA, knownB]: readonly [KnownRegisters, KnownRegisters],
  rules: Rules,
): Result<string | undefined> {
  if (a.opcode !== b.opcode && a.opcode !== undefined && b.opcode !== undefined)
    return ok(`the instruction is ${a.opcode} in A, ${b.opcode} in B`);
  if (a.isSkipped !== b.isSkipped)
    return ok(a.isSkipped ? 'A skips the instruction, B executes it' : 'A executes the instruction, B skips it');
  if (a.settings.length > 0 || b.settings.length > 0) {
    const registers = registersDiffer(a.settings, b.settings, [knownA, knownB], rules);
    if (!registers.ok || registers.value !== undefined) return registers;
  }
  return ok(a.accesses.length > 0 || b.accesses.length > 0 ? accessesDiffer(a.accesses, b.accesses, rules) : undefined);
}

function registersDiffer(
  a: readonly Setting[],
  b: readonly Setting[],
  known: readonly [KnownRegisters, KnownRegisters],
  { shift, ignored }: Rules,
): Result<string | undefined> {
  const [ofA, ofB] = [lastOf(a), lastOf(b)];
  const isLost = ofA.has(ANY_REGISTER) || ofB.has(ANY_REGISTER);
  for (const name of new Set([...ofA.keys(), ...ofB.keys()])) {
    if (name === ANY_REGISTER || isIgnored(name, ignored)) continue;
    const [isInA, isInB] = [ofA.has(name), ofB.has(name)];
    if (isLost && !(isInA && isInB)) continue;
    const inA = isInA ? ok(ofA.get(name)) : known[0].value(name);
    const inB = isInB ? ok(ofB.get(name)) : known[1].value(name);
    if (!inA.ok) return inA;
    if (!inB.ok) return inB;
    if (inA.value === undefined || inB.value === undefined || areSame(inA.value, inB.value, shift)) continue;
    const said = (value: Hex, isNew: boolean): string => (isNew ? shown(value) : `still ${shown(value)}`);
    return ok(`${name} is ${said(inA.value, isInA)} in A, ${said(inB.value, isInB)} in B`);
  }
  return ok(undefined);
}

function lastOf(settings: readonly Setting[]): ReadonlyMap<string, Hex | undefined> {
  return new Map(settings.map(({ name, value }) => [name, value]));
}

/** A part of an ignored register is ignored, too. */
function isIgnored(name: string, ignored: ReadonlySet<string>): boolean {
  if (ignored.size === 0) return false;
  return registerNames(name).some((each) => ignored.has(each));
}

function areSame(a: Hex, b: Hex, shift: bigint): boolean {
  if (a === b) return true;
  const distance = BigInt(b) - BigInt(a);
  return distance === 0n || (shift !== 0n && distance === shift);
}

function accessesDiffer(a: readonly Access[], b: readonly Access[], { shift, kinds }: Rules): string | undefined {
  const counted = ({ kind }: Access): boolean => kinds.has(kind);
  const [ofA, ofB] = [a.filter(counted), b.filter(counted)];
  for (let k = 0; k < Math.max(ofA.length, ofB.length); k++) {
    const [one, other] = [ofA[k], ofB[k]];
    if (one === undefined || other === undefined) {
      const [has, lacks] = one === undefined ? ['B', 'A'] : ['A', 'B'];
      return `${has} has ${withArticle((one ?? other)!)}, ${lacks} does not`;
    }
    const isElsewhere =
      one.address !== undefined &&
      other.address !== undefined &&
      one.address !== other.address &&
      (shift === 0n || other.address - one.address !== shift);
    if (one.kind !== other.kind || one.size !== other.size || isElsewhere)
      return `A has ${withArticle(one)}, B has ${withArticle(other)}`;
    if (one.isAborted !== other.isAborted) return `the ${named(one)} is aborted in ${one.isAborted ? 'A' : 'B'} only`;
    if (one.value !== undefined && other.value !== undefined && !areSame(one.value, other.value, shift))
      return `the ${named(one)} has ${shown(one.value)} in A, ${shown(other.value)} in B`;
  }
  return undefined;
}

function withArticle(access: Access): string {
  return `${/^[aeiou]/.test(access.kind) ? 'an' : 'a'} ${named(access)}`;
}

function named({ kind, address, size }: Access): string {
  const of = size === 0 ? '' : ` of ${String(size)} ${size === 1 ? 'byte' : 'bytes'}`;
  const way = kind.endsWith('write') ? 'to' : 'from';
  return `${kind}${of}${address === undefined ? '' : ` ${way} ${toHex(address)}`}`;
}

function shown(value: Hex): string {
  return toHex(BigInt(value));
}
