/** Is this a plan of a report? Plans come from files, pages and reports that anybody may have written. */
import { isKind } from '../records/record.ts';
import { FLAME_ORDERS, REPORT_TABLES, type ReportPlan } from './report.ts';
import { fail, ok, type Result } from '../base/result.ts';

export const MOST_PARTS = 2000;
const MOST_TEXT = 1_000_000;
const MOST_TITLE = 2000;
const MOST_AROUND = 500;
const MOST_ROWS = 10_000;

/** The plan itself, once all of it is what it must be. Fails with `plan` and a sentence. */
export function parsePlan(value: unknown): Result<ReportPlan> {
  const problem = problemOfPlan(value);
  return problem === undefined ? ok(value as ReportPlan) : fail('plan', `the plan of the report: ${problem}`);
}

/** What is wrong, and where; undefined for what is right. */
type Problem = string | undefined;
type Check = (value: unknown, at: string) => Problem;
type Fields = Readonly<Record<string, { readonly check: Check; readonly needed?: true }>>;

function problemOfPlan(value: unknown): Problem {
  return (
    fields(value, '', {
      title: { check: text(MOST_TITLE), needed: true },
      parts: { check: isArray, needed: true },
      made: { check: time },
      sha256: { check: flag },
    }) ?? problemOfParts((value as ReportPlan).parts)
  );
}

function problemOfParts(parts: readonly unknown[]): Problem {
  if (parts.length > MOST_PARTS) return `it has ${parts.length} parts; at most ${MOST_PARTS} are possible`;
  for (const [i, part] of parts.entries()) {
    const problem = problemOfPart(part, `part ${i + 1}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfPart(part: unknown, at: string): Problem {
  const kind = isObject(part) ? part['kind'] : undefined;
  switch (kind) {
    case 'summary':
    case 'diagnostics':
      return fields(part, at, { kind: KIND });
    case 'text':
      return fields(part, at, { kind: KIND, text: { check: text(MOST_TEXT), needed: true } });
    case 'note':
      return fields(part, at, {
        kind: KIND,
        note: { check: text(200), needed: true },
        around: { check: whole(0, MOST_AROUND) },
      });
    case 'figure':
      return (
        fields(part, at, {
          kind: KIND,
          figure: {
            check: (figure, where) => (isObject(figure) ? undefined : `${where} must be an object`),
            needed: true,
          },
          caption: { check: text(MOST_TITLE) },
        }) ?? problemOfFigure((part as { readonly figure: unknown }).figure, `${at}, figure`)
      );
    case 'table':
      return fields(part, at, {
        kind: KIND,
        table: { check: oneOf(REPORT_TABLES), needed: true },
        most: { check: whole(1, MOST_ROWS) },
        ...RANGE,
      });
    default:
      return `${at} must have a kind: text, summary, diagnostics, note, figure or table`;
  }
}

function problemOfFigure(figure: unknown, at: string): Problem {
  const name = isObject(figure) ? figure['figure'] : undefined;
  switch (name) {
    case 'heat':
      return fields(figure, at, {
        figure: KIND,
        ...RANGE,
        low: { check: hex },
        high: { check: hex },
        kinds: { check: kinds },
        columns: { check: whole(1, 2000) },
        rows: { check: whole(1, 2000) },
        folded: { check: flag },
      });
    case 'overview':
      return fields(figure, at, { figure: KIND, ...RANGE });
    case 'graph':
      return fields(figure, at, {
        figure: KIND,
        ...RANGE,
        centre: { check: text(200) },
        steps: { check: whole(0, 20) },
        most: { check: whole(1, 100) },
        collapse: { check: flag },
        opened: { check: functions(1000) },
      });
    case 'flame':
      return fields(figure, at, {
        figure: KIND,
        ...RANGE,
        order: { check: oneOf(FLAME_ORDERS) },
        path: { check: functions(10_000) },
        cpu: { check: whole(0, 32_767) },
      });
    default:
      return `${at} must be heat, overview, graph or flame`;
  }
}

const KIND = { check: () => undefined, needed: true } as const;
const RANGE = {
  from: { check: whole(0, Number.MAX_SAFE_INTEGER) },
  to: { check: whole(0, Number.MAX_SAFE_INTEGER) },
} as const;

function fields(value: unknown, at: string, wanted: Fields): Problem {
  const own = at === '' ? 'it' : at;
  if (!isObject(value)) return `${own} must be an object`;
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(wanted, key));
  if (unknown !== undefined) return `${own} has '${unknown.slice(0, 40)}', which means nothing here`;
  for (const [key, { check, needed }] of Object.entries(wanted)) {
    const its = value[key];
    if (its === undefined) {
      if (needed) return `${own} has no ${key}`;
      continue;
    }
    const problem = check(its, at === '' ? key : `${at}, ${key}`);
    if (problem !== undefined) return problem;
  }
  const { from, to } = value;
  return typeof from === 'number' && typeof to === 'number' && from >= to
    ? `${own}: 'from' must be less than 'to'`
    : undefined;
}

function text(most: number): Check {
  return (value, at) =>
    typeof value === 'string' && value.length <= most
      ? undefined
      : `${at} must be a text of at most ${most} characters`;
}

function whole(low: number, high: number): Check {
  return (value, at) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= low && value <= high
      ? undefined
      : `${at} must be a whole number from ${low} to ${high}`;
}

function oneOf(all: readonly string[]): Check {
  return (value, at) => (all.some((one) => one === value) ? undefined : `${at} must be one of ${all.join(', ')}`);
}

function functions(most: number): Check {
  return (value, at) =>
    Array.isArray(value) && value.length <= most && value.every((id) => typeof id === 'string' && id.length <= 200)
      ? undefined
      : `${at} must be a list of at most ${most} functions`;
}

function flag(value: unknown, at: string): Problem {
  return typeof value === 'boolean' ? undefined : `${at} must be true or false`;
}

function isArray(value: unknown, at: string): Problem {
  return Array.isArray(value) ? undefined : `${at} must be a list`;
}

function hex(value: unknown, at: string): Problem {
  const is = typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,16})$/.test(value) && BigInt(value) <= 1n << 64n;
  return is ? undefined : `${at} must be an address such as 0x8000`;
}

function kinds(value: unknown, at: string): Problem {
  const is =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= 32 &&
    value.every((kind) => typeof kind === 'string' && isKind(kind));
  return is ? undefined : `${at} must be a list of kinds of records`;
}

function time(value: unknown, at: string): Problem {
  const is =
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(value) &&
    !Number.isNaN(Date.parse(value));
  return is ? undefined : `${at} must be a time such as 2026-01-31T12:00:00Z`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
