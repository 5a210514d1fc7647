/**
 * A profile as a file of callgrind, which KCachegrind and callgrind_annotate read (Valgrind manual, "Callgrind Format Specification").
 *
 * Own costs are those of instructions if the images have them, otherwise one cost for each function. A call is at its call site if there
 * is only one, otherwise at the beginning of the caller: which share of the cost each site has is not known.
 */
import type { Coverage } from '../../../../shared/requests/answers/coverage.ts';
import type { BranchEdge, FunctionId } from '../../../../shared/requests/flow.ts';
import type { Profile, ProfilePair } from '../../../../shared/requests/profile.ts';
import type { Hex } from '../../../../shared/base/units.ts';

export interface CallgrindSettings {
  /** Name of the trace. */
  readonly name: string;
  readonly version: string;
  /** Path of the program's image, if there is one. */
  readonly image: string | undefined;
}

/** Costs of the instructions, and the edges of the branches that call. */
export interface Code {
  readonly coverage: Coverage;
  readonly calls: readonly BranchEdge[];
}

/** Place of a cost: address and line. */
interface Place {
  readonly address: Hex;
  readonly file: string;
  readonly line: number;
}

const NO_FILE = '???';

export function callgrindOf(
  { functions, pairs, unit }: Profile,
  code: Code | undefined,
  { name, version, image }: CallgrindSettings,
): string {
  const files = createNames();
  const fns = createNames();
  const body: string[] = [];
  let total = 0;
  const placed = code === undefined ? undefined : placesOf(code.coverage);
  const sites = code === undefined || placed === undefined ? undefined : sitesOf(code.calls, placed);
  const names = namesOf(functions);
  const startOf = (id: FunctionId): Place =>
    placed?.at(id) ?? { address: /^0x/.test(id) ? (id as Hex) : '0x0', file: NO_FILE, line: 0 };
  const callees = new Map<FunctionId, ProfilePair[]>();
  for (const pair of pairs) {
    const known = callees.get(pair.caller);
    if (known === undefined) callees.set(pair.caller, [pair]);
    else known.push(pair);
  }
  const costs = new Map(functions.map(({ id, self }) => [id, self]));
  for (const id of new Set([...costs.keys(), ...callees.keys()])) {
    const start = startOf(id);
    body.push('', `fl=${files(start.file)}`, `fn=${fns(nameOf(id))}`);
    let { file } = start;
    const moveTo = (place: Place): void => {
      if (place.file !== file) body.push(`${place.file === start.file ? 'fe' : 'fi'}=${files((file = place.file))}`);
    };
    const add = (place: Place, cost: number): void => {
      moveTo(place);
      body.push(`${place.address} ${place.line} ${cost}`);
    };
    let rest = costs.get(id) ?? 0;
    for (const [place, count] of placed?.costsOf(id) ?? []) {
      add(place, count);
      rest -= count;
      total += count;
    }
    // Code that the images do not have, or that no image explains.
    if (rest > 0) {
      add(start, rest);
      total += rest;
    }
    for (const { callee, calls, unseen = 0, total: inclusive = 0 } of callees.get(id) ?? []) {
      const site = sites?.get(`${id} ${callee}`) ?? start;
      const target = startOf(callee);
      moveTo(site);
      body.push(`cfi=${files(target.file)}`, `cfn=${fns(nameOf(callee))}`);
      // The cost of a call follows its line.
      body.push(`calls=${calls + unseen} ${target.address} ${target.line}`);
      body.push(`${site.address} ${site.line} ${inclusive}`);
    }
  }
  return [
    '# callgrind format',
    'version: 1',
    `creator: Tracebench ${version}`,
    `cmd: ${name}`,
    'positions: instr line',
    ...eventsOf(unit),
    `summary: ${total}`,
    '',
    `ob=${image ?? NO_FILE}`,
    ...body,
    '',
    `totals: ${total}`,
    '',
  ].join('\n');

  function nameOf(id: FunctionId): string {
    return names.get(id) ?? id;
  }
}

function eventsOf(unit: string): readonly string[] {
  if (unit === 'instructions') return ['events: Instructions'];
  return unit === 'branches' ? ['events: Branches'] : [`event: Time : time in ${unit}`, 'events: Time'];
}

/** Functions that share a name get their address appended: readers distinguish functions of a file by name. */
function namesOf(functions: Profile['functions']): ReadonlyMap<FunctionId, string> {
  const times = new Map<string, number>();
  for (const { name } of functions) times.set(name, (times.get(name) ?? 0) + 1);
  return new Map(functions.map(({ id, name }) => [id, times.get(name)! > 1 ? `${name} [${id}]` : name]));
}

/** Returns `(1) name` for a new name, then `(1)`. */
function createNames(): (name: string) => string {
  const numbers = new Map<string, number>();
  return (name) => {
    const known = numbers.get(name);
    if (known !== undefined) return `(${known})`;
    numbers.set(name, numbers.size + 1);
    return `(${numbers.size}) ${name}`;
  };
}

interface Places {
  at(address: string): Place | undefined;
  /** Returns the function that an instruction belongs to. */
  functionAt(address: Hex): FunctionId | undefined;
  costsOf(id: FunctionId): readonly (readonly [Place, count: number])[];
}

function placesOf({ instructions, lines, functions }: Coverage): Places {
  const rows = new Map<string, number>();
  const rowsOf = new Map<FunctionId, number[]>();
  const { addresses, counts, lines: lineOf, functions: functionOf } = instructions;
  for (let row = 0; row < addresses.length; row++) {
    rows.set(addresses[row]!, row);
    const owner = functions[functionOf[row]!]?.address;
    if (owner === undefined || counts[row] === 0) continue;
    const known = rowsOf.get(owner);
    if (known === undefined) rowsOf.set(owner, [row]);
    else known.push(row);
  }
  const placeOf = (row: number): Place => {
    const line = lines[lineOf[row]!];
    return { address: addresses[row]!, file: line?.file ?? NO_FILE, line: line?.line ?? 0 };
  };
  return {
    at(address) {
      const row = rows.get(address);
      return row === undefined ? undefined : placeOf(row);
    },
    functionAt: (address) => functions[functionOf[rows.get(address) ?? -1] ?? -1]?.address,
    costsOf: (id) => (rowsOf.get(id) ?? []).map((row) => [placeOf(row), counts[row]!]),
  };
}

/** Returns the place of each pair of functions that has only one call site, by `caller callee`. */
function sitesOf(calls: readonly BranchEdge[], places: Places): ReadonlyMap<string, Place> {
  const sites = new Map<string, Place>();
  const several = new Set<string>();
  for (const { source, target } of calls) {
    if (source === undefined || target === undefined) continue;
    const [caller, callee] = [places.functionAt(source), places.functionAt(target)];
    const place = places.at(source);
    if (caller === undefined || callee === undefined || place === undefined) continue;
    const pair = `${caller} ${callee}`;
    if (sites.has(pair)) several.add(pair);
    else sites.set(pair, place);
  }
  for (const pair of several) sites.delete(pair);
  return sites;
}
