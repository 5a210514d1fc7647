/** Rows of a watched variable: itself, and the members, elements and targets that are unfolded. */
import { toHex } from '../../../shared/base/units.ts';
import { bitsOf, formOf, maskOf } from '../../../shared/requests/answers/watch-value.ts';
import { WATCH_BYTES_MOST, type Contents } from '../../../shared/requests/watches.ts';
import type { DataType, Member, TypedVariable, TypeId } from '../../../shared/requests/variables.ts';
import type { Watch } from '../../trace/watches/watches.svelte.ts';
import type { WatchRow } from './watch-rows.ts';

export interface TypedPlace {
  readonly watch: Watch;
  readonly variable: TypedVariable;
  /** Returns true if the row with this key is unfolded. */
  readonly isUnfolded: (key: string) => boolean;
  /** Returns the number of elements of an array that are listed. */
  readonly listed: (key: string) => number;
  /** Returns the contents of a row at the cursor, if they are known. */
  readonly contents: (row: WatchRow) => Contents | undefined;
}

/** Elements of an array that are listed at first, and added at a time. */
export const ELEMENTS = 50;
const DEEPEST = 24;
const SPACE = 1n << 64n;

export function typedRows(place: TypedPlace): readonly WatchRow[] {
  const { variable, watch } = place;
  const rows: WatchRow[] = [];
  add(place, rows, {
    key: String(watch.id),
    depth: 0,
    label: variable.name,
    address: BigInt(variable.address),
    type: variable.root,
    ...(variable.field && { field: variable.field }),
  });
  return rows;
}

interface Part {
  readonly key: string;
  readonly depth: number;
  readonly label: string;
  readonly address: bigint;
  readonly type: TypeId;
  readonly field?: Member['field'];
}

function add(place: TypedPlace, rows: WatchRow[], part: Part): void {
  const { watch, variable, isUnfolded } = place;
  const type = variable.types[part.type];
  const bytes = part.field?.bytes ?? type?.bytes ?? 0;
  const inSpace = part.address + BigInt(bytes) <= SPACE;
  const form = part.depth === 0 ? watch.form : undefined;
  const row: WatchRow = {
    key: part.key,
    watch,
    depth: part.depth,
    label: part.label,
    type: `${type?.name ?? 'not read'}${part.field ? ` : ${part.field.bits}` : ''}`,
    subject:
      bytes > 0 && bytes <= WATCH_BYTES_MOST && inSpace
        ? { address: toHex(part.address), bytes, ...(part.field && { mask: maskOf(part.field, variable.endian) }) }
        : null,
    reading: {
      form: form ?? formOf(type),
      endian: variable.endian,
      width: Math.min(8, Math.max(1, bytes)),
      ...(part.field && { shift: part.field.shift, bits: part.field.bits }),
    },
    data: type,
    hasForm: form !== undefined,
    folded: canUnfold(type) && part.depth < DEEPEST ? !isUnfolded(part.key) : null,
  };
  rows.push(row);
  if (row.folded !== false || type === undefined) return;
  for (const child of childrenOf(place, part, row, type)) add(place, rows, child);
  if (type.kind === 'array' && place.listed(part.key) < type.count)
    rows.push({
      ...row,
      key: `${part.key}+`,
      depth: part.depth + 1,
      label: '…',
      type: `${type.count - place.listed(part.key)} more elements`,
      subject: null,
      data: undefined,
      folded: true,
      more: part.key,
    });
}

function childrenOf(place: TypedPlace, part: Part, row: WatchRow, type: DataType): readonly Part[] {
  const child = (name: string, address: bigint, its: TypeId, field?: Member['field']): Part => ({
    key: `${part.key}.${name}`,
    depth: part.depth + 1,
    label: name,
    address,
    type: its,
    ...(field && { field }),
  });
  if (type.kind === 'structure')
    return type.members.map((member, index) =>
      child(
        member.name === '(anonymous)' ? `(anonymous ${index})` : member.name,
        part.address + BigInt(member.offset),
        member.type,
        member.field,
      ),
    );
  if (type.kind === 'array')
    return Array.from({ length: Math.min(type.count, place.listed(part.key)) }, (_, index) =>
      child(`[${index}]`, part.address + BigInt(index * type.elementBytes), type.element),
    );
  if (type.kind !== 'pointer' || type.target === null) return [];
  const contents = place.contents(row);
  const target = contents === undefined ? undefined : bitsOf(contents, row.reading);
  return target === undefined || target === 0n ? [] : [child(`*${part.label}`, target, type.target)];
}

function canUnfold(type: DataType | undefined): boolean {
  if (type?.kind === 'structure') return type.members.length > 0;
  if (type?.kind === 'array') return type.count > 0;
  return type?.kind === 'pointer' && type.target !== null;
}
