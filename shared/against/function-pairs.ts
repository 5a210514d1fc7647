/**
 * Which functions of two programs are the same: those of the same name, those whose names differ only in suffixes of compilers, and of the
 * others those at the same place.
 */
import { loneNames, nameInOther } from './compiler-suffixes.ts';
import type { FunctionId } from '../requests/flow.ts';

/** A function as answers about calls describe it. */
export interface AnsweredFunction {
  readonly id: FunctionId;
  /** Symbol, or else a text that ends with the entry address. */
  readonly name: string;
  /** Raw name, if it differs. */
  readonly symbol?: string;
}

/** One function of either program, or of both. */
export interface FunctionPair {
  readonly name: string;
  readonly a?: FunctionId;
  readonly b?: FunctionId;
}

export interface FunctionPairs {
  /** Functions that share a name have their address in it. Names that differ in suffixes are both shown: `add.isra.0 / add`. */
  readonly pairs: readonly FunctionPair[];
  /** Index in `pairs` of each function. */
  readonly ofA: ReadonlyMap<FunctionId, number>;
  readonly ofB: ReadonlyMap<FunctionId, number>;
}

/**
 * Pairs functions. Several of one name, such as two `static` ones, are paired in the order of their addresses.
 * @param shift addresses of B minus those of A
 */
export function pairFunctions(
  a: Iterable<AnsweredFunction>,
  b: Iterable<AnsweredFunction>,
  shift: bigint,
): FunctionPairs {
  const pairs: FunctionPair[] = [];
  const [ofA, ofB] = [new Map<FunctionId, number>(), new Map<FunctionId, number>()];
  const [functionsA, functionsB] = [distinct(a), distinct(b)];
  const add = (its: AnsweredFunction | undefined, others: AnsweredFunction | undefined): void => {
    if (its !== undefined) ofA.set(its.id, pairs.length);
    if (others !== undefined) ofB.set(others.id, pairs.length);
    pairs.push({
      name: nameOf(its ?? others!, others ?? its!),
      ...(its && { a: its.id }),
      ...(others && { b: others.id }),
    });
  };
  const named = Map.groupBy(functionsB.filter(isNamed), keyOf);
  for (const [key, all] of Map.groupBy(functionsA.filter(isNamed), keyOf))
    for (const [at, its] of all.entries()) {
      const others = named.get(key)?.[at];
      if (others !== undefined) add(its, others);
    }
  const loneA = withoutNamesake(functionsA, functionsB);
  const loneB = withoutNamesake(functionsB, functionsA);
  const names = { a: loneNames(loneA.map(keyOf)), b: loneNames(loneB.map(keyOf)) };
  for (const its of loneA) {
    const other = nameInOther(keyOf(its), names.a, names.b);
    if (other !== undefined)
      add(
        its,
        loneB.find((one) => keyOf(one) === other),
      );
  }
  const places = new Map(functionsB.filter(({ id }) => !ofB.has(id)).map((one) => [placeOf(one.id, shift), one]));
  for (const its of functionsA) if (!ofA.has(its.id)) add(its, unpaired(places.get(placeOf(its.id, 0n)), its));
  for (const others of functionsB) if (!ofB.has(others.id)) add(undefined, others);
  return { pairs: withDistinctNames(pairs), ofA, ofB };
}

function withoutNamesake(
  own: readonly AnsweredFunction[],
  others: readonly AnsweredFunction[],
): readonly AnsweredFunction[] {
  const names = new Set(others.filter(isNamed).map(keyOf));
  return own.filter((one) => isNamed(one) && !names.has(keyOf(one)));
}

function nameOf(one: AnsweredFunction, other: AnsweredFunction): string {
  if (!isNamed(one) || !isNamed(other)) return (isNamed(other) ? other : one).name;
  return keyOf(one) === keyOf(other) ? one.name : `${one.name} / ${other.name}`;
}

function withDistinctNames(pairs: readonly FunctionPair[]): readonly FunctionPair[] {
  const shared = Map.groupBy(pairs, ({ name }) => name);
  return pairs.map((pair) =>
    shared.get(pair.name)!.length === 1 ? pair : { ...pair, name: `${pair.name} [${pair.a ?? pair.b ?? ''}]` },
  );
}

/** Two functions with different names are different ones, whatever their places are. */
function unpaired(others: AnsweredFunction | undefined, its: AnsweredFunction): AnsweredFunction | undefined {
  return others !== undefined && isNamed(others) && isNamed(its) ? undefined : others;
}

function distinct(functions: Iterable<AnsweredFunction>): readonly AnsweredFunction[] {
  const byId = new Map([...functions].map((one) => [one.id, one]));
  return [...byId.values()].sort((one, other) => compare(addressOf(one.id), addressOf(other.id)));
}

function isNamed({ id, name }: AnsweredFunction): boolean {
  return addressOf(id) !== undefined && !name.endsWith(id);
}

function keyOf({ name, symbol }: AnsweredFunction): string {
  return symbol ?? name;
}

/** Functions without an address are the same if they have the same id. */
function placeOf(id: FunctionId, shift: bigint): string {
  const address = addressOf(id);
  return address === undefined ? id : (address - shift).toString();
}

function addressOf(id: FunctionId): bigint | undefined {
  return /^0x[0-9a-f]+$/.test(id) ? BigInt(id) : undefined;
}

function compare(one: bigint | undefined, other: bigint | undefined): number {
  if (one === other) return 0;
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
  return one < other ? -1 : 1;
}
