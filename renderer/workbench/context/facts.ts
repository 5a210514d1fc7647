/**
 * Facts that a pane knows about the thing under the pointer. Panes declare facts, and the list of actions (actions.ts) turns them into the items
 * of a context menu. Commands accept the same facts, and are then about them instead of the cursor.
 */
import type { FunctionId } from '../../../shared/requests/flow.ts';
import type { Note } from '../../../shared/requests/notes.ts';
import type { ReportPart } from '../../../shared/report/plan.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { group } from '../../../shared/base/numbers.ts';
import type { AddressSpan, Range, RegisterName } from '../../trace/cursor.svelte.ts';
import type { Edge } from '../../trace/flow/flow.svelte.ts';
import { addressOf, type DraftPlace } from '../../trace/notes/note-place.ts';
import type { TraceBase } from '../../trace/trace-base.ts';
import type { MenuItem } from '../../widgets/menu.ts';
import type { Table } from '../../widgets/table.ts';

export interface Facts {
  /** Name of the thing, and so of the menu: `Record 12`. */
  readonly name: string;
  readonly record?: RecordNumber;
  readonly address?: AddressSpan;
  readonly register?: RegisterName;
  /** Value of the register, of the access or of the bytes, as a hexadecimal number. */
  readonly value?: string;
  readonly function?: { readonly id: FunctionId; readonly name: string };
  readonly edge?: Edge;
  readonly range?: Range;
  readonly note?: Note;
  /** Part that stands for the thing in a report. */
  readonly part?: ReportPart;
  /** How to go there, if that is more than going to the record. */
  readonly go?: Pick<MenuItem, 'title' | 'refusal' | 'run'>;
  /** Items that only this pane has. */
  readonly own?: readonly MenuItem[];
  /** Table that the thing is row `at` of. */
  readonly table?: Table & { readonly at?: number | undefined };
  /** Tables that the thing contains, if it contains several. */
  readonly tables?: readonly (Table & { readonly caption: string })[];
  /** Text to copy, if it is not that of the row on the screen. */
  readonly text?: string;
}

/** Returns the facts about a record. `register`: one of the registers that it sets. */
export function recordFacts(n: RecordNumber, record: RecordView | undefined, register = record?.register): Facts {
  const isSet = record?.kind === 'register' && register !== undefined;
  const value = isSet ? (record.registers?.find(([name]) => name === register)?.[1] ?? record.value) : record?.value;
  return {
    name: `Record ${group(n)}`,
    record: n,
    ...(record?.address !== undefined && { address: { low: BigInt(record.address), bytes: record.size ?? 1 } }),
    ...(isSet && { register: { name: register, ...(record.cpu !== undefined && { cpu: record.cpu }) } }),
    ...(value !== undefined && { value }),
  };
}

/** Makes the thing the subject of the access keys, at its record if it has one. */
export function aim({ cursor, last }: TraceBase, { record, address, register }: Facts): void {
  if (record !== undefined && record !== cursor.n) {
    if (address) cursor.jump(Math.min(record, last), address);
    else cursor.jump(Math.min(record, last));
  } else if (address) cursor.setAddress(address);
  if (register) cursor.setRegister(register);
}

/** Returns the place of a new note about the thing. */
export function placeOf({ cursor, last }: TraceBase, { record, range, address }: Facts): DraftPlace {
  const n = Math.min(last, Math.max(0, Math.floor(record ?? range?.from ?? cursor.n)));
  const to = record === undefined && range ? Math.max(n + 1, Math.min(last + 1, Math.ceil(range.to))) : undefined;
  return {
    n,
    ...(to !== undefined && to > n + 1 && { to }),
    ...(address && Number.isSafeInteger(address.bytes) && addressOf(address)),
  };
}
