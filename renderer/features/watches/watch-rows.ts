/** The rows of the Watches pane: what each follows, how its value is read, and words about them. */
import { valueText, type Reading } from '../../../shared/requests/answers/watch-value.ts';
import type { Contents, Endian, WatchForm, WatchSubject } from '../../../shared/requests/watches.ts';
import type { DataType } from '../../../shared/requests/variables.ts';
import type { Watched } from '../../trace/watches/saved-watch.ts';
import type { Watch } from '../../trace/watches/watches.svelte.ts';
import { typedText } from './typed-text.ts';

export interface WatchRow {
  /** Unique among the rows. */
  readonly key: string;
  readonly watch: Watch;
  readonly depth: number;
  readonly label: string;
  /** How the value is shown, or its type. */
  readonly type: string;
  /** Null if the row has no value of its own. */
  readonly subject: WatchSubject | null;
  readonly reading: Reading;
  /** Type of a part of a variable. */
  readonly data?: DataType | undefined;
  /** A person chose the form of a typed row. */
  readonly hasForm?: boolean;
  /** True if its parts are hidden; null or absent if it has none. */
  readonly folded?: boolean | null;
  /** Key of the array whose further elements the row stands for. */
  readonly more?: string;
  /** Sentence instead of a value. */
  readonly note?: string;
}

/** Returns the value of a row as people read it. */
export function rowText(contents: Contents, { reading, data, hasForm }: WatchRow): string {
  return data ? typedText(contents, reading, data, hasForm === true) : valueText(contents, reading);
}

export const WIDTHS = [1, 2, 4, 8] as const;

export const FORM_WORDS: Readonly<Record<WatchForm, string>> = {
  hex: 'Hexadecimal',
  unsigned: 'Unsigned',
  signed: 'Signed',
  ascii: 'ASCII',
  float: 'Floating point',
};

/** Returns the row of a register or of memory. */
export function plainRow(watch: Watch, endian: Endian): WatchRow {
  const { id, register, cpu, address, bytes = 4, form = 'hex' } = watch;
  return {
    key: String(id),
    watch,
    depth: 0,
    label: labelOf(watch),
    type: `${FORM_SHORT[form]} ${8 * bytes}`,
    subject:
      register === undefined
        ? address === undefined
          ? null
          : { address, bytes }
        : { register, ...(cpu !== undefined && { cpu }) },
    reading: { form, endian, width: bytes },
  };
}

const FORM_SHORT: Readonly<Record<WatchForm, string>> = {
  hex: 'hex',
  unsigned: 'unsigned',
  signed: 'signed',
  ascii: 'ASCII',
  float: 'float',
};

/** Returns `r3`, `r3 of CPU 1`, `table+0x8` or `0x8000`. */
export function labelOf({ register, cpu, address, variable, name }: Watched): string {
  if (register !== undefined) return cpu === undefined || cpu === 0 ? register : `${register} of CPU ${cpu}`;
  return variable ?? name ?? address ?? '';
}

/** Identity of a subject, for answers about it. */
export function subjectKey({ address, bytes, mask, register, cpu }: WatchSubject): string {
  return JSON.stringify([address, bytes, mask, register, cpu]);
}

/** Returns the forms in which a row can be shown, with another number of bytes if given. */
export function formsOf({ subject, reading }: WatchRow, bytes = subject?.bytes ?? reading.width): readonly WatchForm[] {
  if (!WIDTHS.some((width) => width === bytes)) return ['hex', 'ascii'];
  return bytes < 4 ? ['hex', 'unsigned', 'signed', 'ascii'] : ['hex', 'unsigned', 'signed', 'ascii', 'float'];
}

/** Returns true if the values of a row can be drawn as numbers. */
export function isNumber({ subject, reading, data }: WatchRow): boolean {
  if (data?.kind === 'structure' || data?.kind === 'array') return false;
  return subject !== null && (subject.register !== undefined || (subject.bytes ?? 1) <= 8) && reading.width <= 8;
}
