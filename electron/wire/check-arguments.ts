/**
 * What a call from outside may say: every argument of every call with its type and range. What passes here has exactly
 * the shape of shared/requests/requests.ts; what does not never reaches the engine. `indexDirectory` is not taken from a page at all,
 * since it names a folder to write to; nor is `notebook`, a file that is written to.
 */
import { ACCESS_WAYS, EXPORT_FORMS, type Arguments, type RequestName } from '../../shared/requests/requests.ts';
import { STEPS } from '../../shared/requests/flow.ts';
import { BRANCH_KINDS } from '../../shared/flow/events.ts';
import { NOTE_COLOURS } from '../../shared/requests/notes.ts';
import { isKind } from '../../shared/records/record.ts';
import { MOST_PARTS, parsePlan } from '../../shared/report/plan.ts';
import { FLAME_ORDERS, PAPER_SIZES, REPORT_FORMS, type FigureWish } from '../../shared/report/report.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import {
  first,
  isObject,
  list,
  may,
  need,
  number,
  object,
  rule,
  text,
  within,
  type Check,
  type Field,
  type Problem,
  type Schema,
} from './checks.ts';

export function checkArguments<N extends RequestName>(name: N, value: unknown): Result<Arguments<N>> {
  const problem = object(SCHEMAS[name])(value);
  if (problem !== undefined) return fail('usage', `${name}: ${`${problem.at} ${problem.must}`.trim()}.`);
  return ok(value as Arguments<N>);
}

export function isRequestName(name: string): name is RequestName {
  return Object.hasOwn(SCHEMAS, name);
}

/** A field for each argument, so that a new one in the contract does not compile until it is checked here. */
type Fields<A> = { readonly [K in Exclude<keyof A, 'indexDirectory' | 'notebook'>]-?: Field };

const record = number(0, Number.MAX_SAFE_INTEGER);
const hex = rule(
  (value) => typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/.test(value),
  'must be 0x and up to 16 lower-case hexadecimal digits without padding',
);
const hexOrNull: Check = (value) => (value === null ? undefined : hex(value));
/** Exclusive upper ends may be one past the highest address. */
const hexEnd = rule(
  (value) => hex(value) === undefined || value === '0x10000000000000000',
  'must be 0x and lower-case hexadecimal digits, at most 0x10000000000000000',
);
/** Values may be as wide as a vector register: 2048 bits. */
const wideHex = rule(
  (value) => typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,511})$/.test(value),
  'must be 0x and lower-case hexadecimal digits without padding',
);
const flag = rule((value) => typeof value === 'boolean', 'must be true or false');
const kinds = list(
  rule((value) => typeof value === 'string' && isKind(value), 'must be a kind of record'),
  32,
);
const settings: Check = (value) => {
  if (!isObject(value) || Object.keys(value).length > 64) return { at: '', must: 'must be an object of option values' };
  return first(Object.entries(value), ([key, item]) => within(`.${key}`, text(1000, 0)(item)));
};
const pageSize = rule(
  (value) => typeof value === 'number' && value >= 4096 && value <= 2 ** 52 && Number.isInteger(Math.log2(value)),
  'must be a power of two from 4096 on',
);
const regularExpression = rule(
  (value) => typeof value === 'string' && value.length <= 1000 && compiles(value),
  'must be a regular expression of at most 1000 characters',
);

const path = need(text(32_768));
const trace = need(text(200));
const columns = need(number(1, 16_384));
const rows = number(1, 16_384);
const ofTrace = { trace } as const;
const rectangle = {
  ...ofTrace,
  from: may(record),
  to: may(record),
  kinds: may(kinds),
} as const;

const image = object({
  checks: [onePlace],
  fields: { path, base: may(hex), shift: may(hex) },
});
const addresses = object({ checks: [closedSpan], fields: { low: need(hex), high: need(hex) } });
const cpu = number(0, 32_767);
const criteria = {
  ...ofTrace,
  address: may(addresses),
  kinds: may(kinds),
  value: may(wideHex),
  width: may(number(1, 256)),
  register: may(text(200)),
  text: may(regularExpression),
  from: may(record),
  to: may(record),
} as const;

const flowRange = { ...ofTrace, from: may(record), to: may(record) } as const;
const someRecords = { ...ofTrace, from: need(record), count: need(number(1, 10_000)) } as const;
const branchKinds = list(
  rule((value) => BRANCH_KINDS.some((kind) => kind === value), `must be one of ${BRANCH_KINDS.join(', ')}`),
  BRANCH_KINDS.length,
);

const noteId = rule(
  (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  'must be 1 to 64 letters, digits, - and _',
);
const revision = may(record);
const note = object({
  fields: {
    id: need(noteId),
    title: need(text(1000, 0)),
    text: need(text(1_000_000, 0)),
    colour: need(
      rule((value) => NOTE_COLOURS.some((colour) => colour === value), `must be one of ${NOTE_COLOURS.join(', ')}`),
    ),
    tags: need(list(text(100), 50, 0)),
    place: need(
      object({
        checks: [ordered('n', 'to')],
        fields: {
          n: need(record),
          to: may(record),
          address: may(hex),
          length: may(number(1, Number.MAX_SAFE_INTEGER)),
        },
      }),
    ),
    order: may(rule((value) => Number.isFinite(value), 'must be a number')),
    created: may(text(30)),
    revision,
  },
});
const view = object({
  fields: { id: need(noteId), name: need(text(200, 0)), content: need(text(1_000_000, 0)), revision },
});
const gone = object({ fields: { id: need(noteId), revision } });
/** Changes of one call: a person's, or those of an undo. */
const CHANGES_MOST = 100_000;
/** Its own reader knows what a plan must be. */
const plan: Check = (value) => {
  const parsed = parsePlan(value);
  return parsed.ok ? undefined : { at: '', must: `must be a plan of a report: ${parsed.error.message}` };
};
const fileName = rule(
  (value) => typeof value === 'string' && /^[^/\\\p{Cc}]{1,200}$/u.test(value),
  'must be a name of a file, without its folder',
);
/** Of a whole report with its drawings. */
const REPORT_MOST = 256 * 1024 * 1024;

const partOfTime = { figure: need(text(20)), from: may(record), to: may(record) } as const;
/** By kind of figure: what one may wish. */
const FIGURES: { readonly [K in FigureWish['figure']]: Schema } = {
  heat: {
    checks: [ordered('from', 'to'), span],
    fields: {
      ...partOfTime,
      low: may(hex),
      high: may(hexEnd),
      kinds: may(kinds),
      columns: may(number(1, 16_384)),
      rows: may(rows),
      folded: may(flag),
    },
  },
  overview: { checks: [ordered('from', 'to')], fields: partOfTime },
  graph: {
    checks: [ordered('from', 'to')],
    fields: {
      ...partOfTime,
      centre: may(text(100)),
      steps: may(number(0, 20)),
      most: may(number(1, 100)),
      collapse: may(flag),
      opened: may(list(text(100), 1000, 0)),
    },
  },
  flame: {
    checks: [ordered('from', 'to')],
    fields: {
      ...partOfTime,
      path: may(list(text(100), 10_000, 0)),
      cpu: may(cpu),
      order: may(
        rule((value) => FLAME_ORDERS.some((order) => order === value), `must be one of ${FLAME_ORDERS.join(', ')}`),
      ),
    },
  },
};
const figure: Check = (value) => {
  const kind = isObject(value) ? Object.entries(FIGURES).find(([name]) => name === value['figure']) : undefined;
  return kind ? object(kind[1])(value) : { at: '.figure', must: `must be one of ${Object.keys(FIGURES).join(', ')}` };
};

const SCHEMAS: { readonly [N in RequestName]: Schema & { readonly fields: Fields<Arguments<N>> } } = {
  formats: { fields: {} },
  detect: { fields: { path } },
  preview: { fields: { path, format: need(text(100)), options: may(settings) } },
  images: { fields: { images: need(list(image, 100)) } },
  open: { fields: { path, format: may(text(100)), options: may(settings), images: may(list(image, 100)) } },
  close: { fields: ofTrace },
  index: {
    fields: {
      ...ofTrace,
      rebuild: may(flag),
      until: may(object({ fields: { records: need(record) } })),
      ahead: may(flag),
      flow: may(flag),
    },
  },
  info: { fields: ofTrace },
  diagnostics: { fields: ofTrace },
  pages: { fields: { ...ofTrace, size: need(pageSize) } },
  records: { fields: someRecords },
  bytes: { fields: { ...ofTrace, offset: need(record), length: need(number(1, 65_536)) } },
  recordAt: { fields: { ...ofTrace, offset: need(record) } },
  recordAtTime: { fields: { ...ofTrace, time: need(rule((value) => Number.isFinite(value), 'must be a number')) } },
  bands: { checks: [ordered('from', 'to')], fields: { ...rectangle, most: may(number(1, 10_000)) } },
  names: { checks: [span], fields: { ...ofTrace, low: need(hex), high: need(hexEnd), most: need(number(1, 10_000)) } },
  symbols: { fields: { ...ofTrace, text: need(text(1000)), most: need(number(1, 1000)) } },
  symbolsNamed: { fields: { ...ofTrace, name: need(text(10_000)) } },
  heat: {
    checks: [ordered('from', 'to'), cells],
    fields: {
      ...rectangle,
      columns,
      rows: may(rows),
      bands: may(
        list(object({ checks: [span], fields: { low: need(hex), high: need(hexEnd), rows: need(rows) } }), 10_000),
      ),
      precision: need(rule((value) => value === 'even' || value === 'quick', "must be 'even' or 'quick'")),
    },
  },
  tally: { checks: [ordered('from', 'to'), span], fields: { ...rectangle, low: may(hex), high: may(hexEnd) } },
  overview: { checks: [ordered('from', 'to')], fields: { ...ofTrace, from: may(record), to: may(record), columns } },
  exportPart: {
    checks: [ordered('from', 'to')],
    fields: {
      ...ofTrace,
      as: need(
        rule((value) => EXPORT_FORMS.some((form) => form === value), `must be one of ${EXPORT_FORMS.join(', ')}`),
      ),
      from: need(record),
      to: may(record),
      kinds: may(kinds),
      head: may(flag),
    },
  },
  find: {
    checks: [oneDirection, ordered('from', 'to')],
    fields: {
      ...criteria,
      after: may(record),
      before: may(record),
      limit: may(number(1, 10_000)),
    },
  },
  findAll: {
    checks: [ordered('from', 'to')],
    fields: { ...criteria, columns: may(number(1, 16_384)), most: may(number(0, 1_000_000)) },
  },
  recordsAt: { checks: [ascending('numbers')], fields: { ...ofTrace, numbers: need(list(record, 1000)) } },
  registers: { fields: { ...ofTrace, at: need(record), cpu: may(cpu) } },
  memory: {
    fields: {
      ...ofTrace,
      at: need(record),
      address: need(hex),
      length: need(number(1, 65_536)),
      opcodes: may(flag),
    },
  },
  access: {
    checks: [oneTarget],
    fields: {
      ...ofTrace,
      way: need(rule((value) => ACCESS_WAYS.some((way) => way === value), `must be one of ${ACCESS_WAYS.join(', ')}`)),
      at: need(record),
      address: may(addresses),
      register: may(text(200)),
      cpu: may(cpu),
    },
  },
  branches: {
    checks: [ordered('from', 'to')],
    fields: { ...flowRange, kinds: may(branchKinds), most: may(number(0, 200_000)) },
  },
  branchEvents: {
    checks: [ordered('from', 'to')],
    fields: {
      ...flowRange,
      count: need(number(1, 10_000)),
      kinds: may(branchKinds),
      source: may(hexOrNull),
      target: may(hexOrNull),
      backwards: may(flag),
    },
  },
  captures: { fields: { ...ofTrace, from: may(record), count: need(number(1, 10_000)) } },
  captureFlow: {
    checks: [oneCapture],
    fields: { ...ofTrace, capture: may(record), at: may(record), places: may(flag) },
  },
  calls: { checks: [ordered('from', 'to')], fields: flowRange },
  tree: { checks: [ordered('from', 'to')], fields: { ...flowRange, depth: may(number(0, 1000)) } },
  spans: {
    checks: [ordered('from', 'to')],
    fields: { ...flowRange, columns: may(number(1, 16_384)), cpu: may(cpu) },
  },
  stack: { fields: { ...ofTrace, at: need(record), cpu: may(cpu) } },
  step: {
    fields: {
      ...ofTrace,
      at: need(record),
      step: need(rule((value) => STEPS.some((step) => step === value), `must be one of ${STEPS.join(', ')}`)),
    },
  },
  depths: { fields: someRecords },
  between: { fields: someRecords },
  nextCall: {
    fields: {
      ...ofTrace,
      caller: need(text(100)),
      callee: need(text(100)),
      kind: need(text(100)),
      inferred: need(flag),
      at: need(record),
      direction: need(rule((value) => value === 'next' || value === 'previous', "must be 'next' or 'previous'")),
    },
  },
  notebook: { fields: ofTrace },
  changeNotebook: {
    fields: {
      ...ofTrace,
      put: may(list(note, CHANGES_MOST, 0)),
      remove: may(list(gone, CHANGES_MOST, 0)),
      putViews: may(list(view, CHANGES_MOST, 0)),
      removeViews: may(list(gone, CHANGES_MOST, 0)),
    },
  },
  watchNotebook: { fields: ofTrace },
  importNotes: { fields: { ...ofTrace, text: need(text(256 * 1024 * 1024)) } },
  exportNotes: { fields: ofTrace },
  figure: {
    fields: {
      ...ofTrace,
      figure: need(figure),
      as: need(rule((value) => value === 'svg' || value === 'png', "must be 'svg' or 'png'")),
      scale: may(rule((value) => value === 1 || value === 2, 'must be 1 or 2')),
      theme: may(rule((value) => value === 'dark' || value === 'light', "must be 'dark' or 'light'")),
      title: may(text(500)),
    },
  },
  reportPlan: { fields: ofTrace },
  report: {
    fields: {
      ...ofTrace,
      plan: may(plan),
      as: need(
        rule((value) => REPORT_FORMS.some((form) => form === value), `must be one of ${REPORT_FORMS.join(', ')}`),
      ),
      paper: may(
        rule((value) => PAPER_SIZES.some((size) => size === value), `must be one of ${PAPER_SIZES.join(', ')}`),
      ),
      name: may(fileName),
    },
  },
  verify: {
    fields: {
      ...ofTrace,
      report: need(text(REPORT_MOST)),
      files: may(list(object({ fields: { name: need(fileName), text: need(text(REPORT_MOST, 0)) } }), MOST_PARTS)),
    },
  },
};

/** Cells that one heatmap may have: 64 MB of counts. */
const CELLS_MOST = 8_000_000;

function cells(value: unknown): Problem {
  if (!isObject(value)) return undefined;
  const bands = Array.isArray(value['bands']) ? (value['bands'] as readonly { readonly rows: number }[]) : undefined;
  const all = bands ? bands.reduce((sum, band) => sum + band.rows, 0) : Number(value['rows'] ?? 1);
  return all * Number(value['columns']) <= CELLS_MOST
    ? undefined
    : { at: 'columns', must: `times rows must be at most ${CELLS_MOST}` };
}

function ordered(low: string, high: string): Check {
  return (value) => {
    if (!isObject(value) || value[low] === undefined || value[high] === undefined) return undefined;
    return Number(value[low]) <= Number(value[high])
      ? undefined
      : { at: low, must: `must not be greater than ${high}` };
  };
}

function ascending(name: string): Check {
  return (value) => {
    const numbers = isObject(value) && Array.isArray(value[name]) ? (value[name] as readonly unknown[]) : [];
    const isWrong = numbers.some((number, i) => i > 0 && Number(number) <= Number(numbers[i - 1]));
    return isWrong ? { at: name, must: 'must ascend' } : undefined;
  };
}

function span(value: unknown): Problem {
  return inOrder(value, (low, high) => low < high) ? undefined : { at: 'low', must: 'must be less than high' };
}

function closedSpan(value: unknown): Problem {
  return inOrder(value, (low, high) => low <= high) ? undefined : { at: 'low', must: 'must not be greater than high' };
}

function inOrder(value: unknown, test: (low: bigint, high: bigint) => boolean): boolean {
  if (!isObject(value) || typeof value['low'] !== 'string' || typeof value['high'] !== 'string') return true;
  return test(BigInt(value['low']), BigInt(value['high']));
}

function oneDirection(value: unknown): Problem {
  const both = isObject(value) && value['after'] !== undefined && value['before'] !== undefined;
  return both ? { at: 'after', must: 'and before must not both be given' } : undefined;
}

function oneTarget(value: unknown): Problem {
  const one = !isObject(value) || (value['address'] === undefined) !== (value['register'] === undefined);
  return one ? undefined : { at: 'address', must: 'or register must be given, and not both' };
}

function oneCapture(value: unknown): Problem {
  const one = !isObject(value) || (value['capture'] === undefined) !== (value['at'] === undefined);
  return one ? undefined : { at: 'capture', must: 'or at must be given, and not both' };
}

function onePlace(value: unknown): Problem {
  const both = isObject(value) && value['base'] !== undefined && value['shift'] !== undefined;
  return both ? { at: 'base', must: 'and shift must not both be given' } : undefined;
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
