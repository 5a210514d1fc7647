/**
 * Parts of variables in the notation of C: `p->next`, `s.field`, `a[3]`, `*p`, `(*p).list[2]`. Names of variables may contain dots, spaces
 * and parentheses themselves (`count.0`, `(anonymous namespace)::x`), so parsing needs the names that exist.
 */
import { fail, ok, type Result } from '../../base/result.ts';
import type { DataType, Member, TypeId } from '../variables.ts';

export type PathStep =
  | { readonly kind: 'member'; readonly name: string; readonly arrow: boolean }
  | { readonly kind: 'element'; readonly index: number }
  | { readonly kind: 'target' };

export interface VariablePath {
  /** Name of the variable. It may not exist. */
  readonly variable: string;
  /** In the order in which they apply, each with the text up to it: `p`, `p->next`. */
  readonly steps: readonly { readonly step: PathStep; readonly of: string }[];
}

/** Returns undefined if the text is neither the name of a variable nor a part of one. */
export function parseVariablePath(text: string, exists: (name: string) => boolean): VariablePath | undefined {
  let at = 0;
  const path = unary();
  skip();
  return path === undefined || at < text.length ? undefined : path;

  function unary(): VariablePath | undefined {
    skip();
    const from = at;
    if (text[at] !== '*') return postfix();
    at++;
    const inner = unary();
    return inner && withStep(inner, { kind: 'target' }, text.slice(from + 1, at).trim());
  }

  function postfix(): VariablePath | undefined {
    const from = at;
    let found = primary();
    while (found !== undefined) {
      const of = text.slice(from, at).trim();
      const operator = /^\s*(?:(\.|->)\s*([A-Za-z_$][\w$]*)|\[\s*(0x[0-9a-f]{1,12}|\d{1,15})\s*\])/i.exec(
        text.slice(at),
      );
      if (operator === null) return found;
      at += operator[0].length;
      const [, sign, name = '', index] = operator;
      const step: PathStep =
        index === undefined
          ? { kind: 'member', name, arrow: sign === '->' }
          : { kind: 'element', index: Number(index) };
      found = withStep(found, step, of);
    }
    return found;
  }

  function primary(): VariablePath | undefined {
    skip();
    // The longest name that exists, or else everything up to the first operator.
    const ends = [...text.slice(at).matchAll(/\.|->|\[|\)|$/g)]
      .map(({ index }) => at + index)
      .filter((end) => end > at);
    const known = ends.findLast((end) => exists(text.slice(at, end).trim()));
    if (known === undefined && text[at] === '(') return inParentheses();
    const end = known ?? ends[0];
    if (end === undefined) return undefined;
    const variable = text.slice(at, end).trim();
    at = end;
    return { variable, steps: [] };
  }

  function inParentheses(): VariablePath | undefined {
    at++;
    const inner = unary();
    skip();
    if (inner === undefined || text[at] !== ')') return undefined;
    at++;
    return inner;
  }

  function skip(): void {
    while (text[at] === ' ') at++;
  }
}

function withStep({ variable, steps }: VariablePath, step: PathStep, of: string): VariablePath {
  return { variable, steps: [...steps, { step, of }] };
}

/** A part of a variable: its type, and where it is. */
export interface VariablePart {
  readonly type: TypeId;
  readonly address: bigint;
  readonly field?: Member['field'];
}

/** Reads the pointer at an address. `name`: its text, for messages. */
export type ReadPointer = (address: bigint, bytes: number, name: string) => Promise<Result<bigint>>;

/** Follows the steps from a variable. Fails with one sentence if a step does not fit the type, or a pointer is unknown. */
export async function followPath(
  types: readonly DataType[],
  whole: VariablePart,
  { steps }: VariablePath,
  pointer: ReadPointer,
): Promise<Result<VariablePart>> {
  let part = whole;
  for (const { step, of } of steps) {
    const type = types[part.type];
    const next =
      type === undefined ? fail(NO_PART, `the type of ${of} is not known`) : await take(part, type, step, of);
    if (!next.ok) return next;
    part = next.value;
  }
  return ok(part);

  async function take(part: VariablePart, type: DataType, step: PathStep, of: string): Promise<Result<VariablePart>> {
    if (step.kind === 'member' && !step.arrow) {
      if (type.kind === 'pointer' && types[type.target ?? -1]?.kind === 'structure')
        return fail(NO_PART, `${of} is a pointer; write ${of}->${step.name}`);
      return memberOf(part, type, step.name, of);
    }
    if (step.kind === 'member' && type.kind === 'structure')
      return fail(NO_PART, `${of} is no pointer; write ${of}.${step.name}`);
    const target = await element(part, type, step.kind === 'element' ? step.index : 0, of);
    if (!target.ok || step.kind !== 'member') return target;
    const itsType = types[target.value.type];
    return itsType === undefined
      ? fail(NO_PART, `the type of *${of} is not known`)
      : memberOf(target.value, itsType, step.name, `*${of}`);
  }

  /** An element of an array, or of the array that a pointer points to. */
  async function element(part: VariablePart, type: DataType, index: number, of: string): Promise<Result<VariablePart>> {
    if (type.kind === 'array') {
      if (index >= type.count)
        return fail(NO_PART, `${of} has ${elements(type.count)}, so there is no ${of}[${index}]`);
      return ok({ type: type.element, address: part.address + BigInt(index * type.elementBytes) });
    }
    if (type.kind !== 'pointer')
      return fail(NO_PART, `${of} is neither a pointer nor an array; its type is ${type.name}`);
    if (type.target === null) return fail(NO_PART, `${of} points to an unknown type: its type is ${type.name}`);
    const start = await pointer(part.address, type.bytes, of);
    if (!start.ok) return start;
    const size = types[type.target]?.bytes ?? 0;
    if (index > 0 && size === 0) return fail(NO_PART, `${of} points to a type of unknown size`);
    return ok({ type: type.target, address: BigInt.asUintN(64, start.value + BigInt(index) * BigInt(size)) });
  }

  function memberOf(part: VariablePart, type: DataType, name: string, of: string): Result<VariablePart> {
    if (type.kind !== 'structure') return fail(NO_PART, `${of} has no members; its type is ${type.name}`);
    const all = membersOf(type, 0);
    const found = all.find((member) => member.name === name);
    if (found === undefined) return fail(NO_PART, `${type.name} has no member '${name}'; ${listed(all)}`);
    const { type: its, offset, field } = found;
    return ok({ type: its, address: part.address + BigInt(offset), ...(field && { field }) });
  }

  /** The members of a structure, with those of its members without a name. */
  function membersOf(type: DataType, offset: number): readonly Member[] {
    if (type.kind !== 'structure') return [];
    return type.members.flatMap((member) => {
      const own = { ...member, offset: offset + member.offset };
      const inner = types[member.type];
      return member.name === UNNAMED && inner !== undefined ? membersOf(inner, own.offset) : [own];
    });
  }
}

/** Returns true if a text may name a part of a variable. */
export function mayBePart(text: string): boolean {
  return /[.*[]|->/.test(text);
}

export const NO_PART = 'no-such-part';
const UNNAMED = '(anonymous)';
const LISTED = 12;

function listed(members: readonly Member[]): string {
  if (members.length === 0) return 'it has none';
  const more = members.length > LISTED ? `, and ${members.length - LISTED} more` : '';
  return `it has ${members
    .slice(0, LISTED)
    .map(({ name }) => name)
    .join(', ')}${more}`;
}

function elements(count: number): string {
  return count === 0 ? 'no elements' : count === 1 ? 'one element' : `${count} elements`;
}
