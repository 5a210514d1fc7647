/** A watch as it is kept with the view of its trace: the thing that is followed, and how its value is shown. */
import {
  check,
  cpu,
  hex,
  lenient,
  object,
  oneOf,
  optional,
  partOfFile,
  problemOf,
  rule,
  text,
  validItems,
  where,
  whole,
  type Checked,
} from '../../../shared/requests/schema.ts';
import { ENDIANS, WATCH_BYTES_MOST, WATCH_FORMS } from '../../../shared/requests/watches.ts';

const watched = where(
  object({
    /** One of these three: a register of a CPU, an address, or a variable of an image by its name. */
    register: optional(text(200)),
    address: optional(hex),
    variable: optional(text(1000)),
    cpu: optional(cpu),
    /** Symbol at the address, with an offset: `table+0x8`. */
    name: optional(text(1000)),
    /** Bytes in memory, or those of a register that are read as a number. */
    bytes: optional(whole(1, WATCH_BYTES_MOST)),
    form: optional(oneOf(WATCH_FORMS)),
  }),
  check(
    'register',
    ({ register, address, variable }) => [register, address, variable].filter((one) => one !== undefined).length === 1,
    'or address or variable must be given, and only one of them',
  ),
);

export type Watched = Checked<typeof watched>;

/** Watches of a view. Those that are damaged are left out. */
export const savedWatches = partOfFile({
  endian: lenient(oneOf(ENDIANS)),
  list: lenient(validItems(rule<Watched>((value) => problemOf(watched, value) === undefined, 'must be a watch'))),
  /** Place of the chosen watch in the list. */
  chosen: lenient(whole(0, Number.MAX_SAFE_INTEGER)),
});
export type SavedWatches = Checked<typeof savedWatches>;
