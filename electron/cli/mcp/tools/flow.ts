/** Tools about the flow of the program: functions, the call stack, and what ran. */
import { ok } from '../../../../shared/base/result.ts';
import { both, listed } from '../findings.ts';
import { cpu, recordNumber, text, tool, yes, type Tool } from '../tool.ts';

const from = recordNumber('only records from this number');
const to = recordNumber('only records before this number');
const part = text('only functions whose names contain this');

export const flowTools: readonly Tool[] = [
  tool({
    name: 'calls',
    title: 'Functions, callers and callees',
    description:
      'What each function cost, by own cost, how often it was called, and by whom. With `function`, the pairs of caller and callee of the ' +
      'functions whose names contain it.',
    arguments: { function: part, from, to },
    required: [],
    async run({ function: name, from, to }, trace, { cursor, call }) {
      const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
      const found = await trace.request('profile', { trace: trace.id, ...range }, { signal: call.signal });
      if (!found.ok) return found;
      const { evidence, unit, cost, functions, pairs, notes } = found.value;
      const about = { calls_known_from: evidence, unit, cost, notes };
      const certainty = (inferred = 0, unseen = 0): string => {
        const parts = [
          ...(inferred > 0 ? [`${inferred} of the calls are inferred`] : []),
          ...(unseen > 0 ? [`${unseen} more are proved only by their returns`] : []),
        ];
        return parts.length === 0 ? 'counted in the trace' : `counted in the trace; ${parts.join('; ')}`;
      };
      if (name === undefined) {
        const items = functions.map((one) => ({
          function: one.name,
          address: both(one.address),
          calls: one.calls,
          self: one.self,
          total: one.total,
          first_call: one.first,
          evidence: certainty(one.inferred, one.unseen),
        }));
        return ok(listed(about, 'functions', items, cursor));
      }
      const names = new Map(functions.map((one) => [one.id, one.name]));
      const isNamed = (id: string): boolean => names.get(id)?.includes(name) === true;
      const items = pairs
        .filter(({ caller, callee }) => isNamed(caller) || isNamed(callee))
        .map(({ caller, callee, calls, kinds, first, total, inferred, unseen }) => ({
          caller: names.get(caller) ?? caller,
          callee: names.get(callee) ?? callee,
          calls,
          kinds,
          total,
          first_call: first,
          evidence: certainty(inferred, unseen),
        }));
      return ok(listed(about, 'pairs', items, cursor));
    },
  }),
  tool({
    name: 'stack',
    title: 'Call stack',
    description: 'The open calls after a record, innermost first, each with the record that entered it.',
    arguments: { at: recordNumber('record number'), cpu },
    required: ['at'],
    async run({ at, cpu }, trace, { cursor, call }) {
      const args = { trace: trace.id, at, ...(cpu !== undefined && { cpu }) };
      const found = await trace.request('stack', args, { signal: call.signal });
      if (!found.ok) return found;
      const { frames, notes, cpu: own } = found.value;
      const items = frames.map((frame) => ({
        function: frame.function,
        address: both(frame.address),
        called_from: both(frame.site),
        called_from_symbol: frame.siteSymbol,
        entered_by: frame.entered ?? (frame.since === undefined ? 'unknown' : 'call'),
        evidence:
          (frame.since === undefined ? 'entered before the trace begins' : `entered by record ${frame.since}`) +
          (frame.inferred === true ? '; inferred' : ''),
      }));
      return ok(listed({ at, cpu: own, notes }, 'frames', items, cursor));
    },
  }),
  tool({
    name: 'coverage',
    title: 'What ran, and what never did',
    description:
      'How much of each function of the program image ran. With `lines`, the source lines of functions with their counts instead. Needs an image.',
    arguments: {
      function: part,
      lines: yes('lists source lines with their counts'),
      never: yes('only functions or lines that never ran'),
      from,
      to,
    },
    required: [],
    async run({ function: name = '', lines = false, never = false, from, to }, trace, { cursor, call }) {
      const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
      const level = lines ? 'instruction' : 'function';
      const found = await trace.request('coverage', { trace: trace.id, ...range, level }, { signal: call.signal });
      if (!found.ok) return found;
      const { functions, instructions, lines: all, totals, notes } = found.value;
      const about = { totals, notes };
      const evidence = 'counted from executed instructions';
      if (!lines) {
        const items = functions
          .filter((one) => one.name.includes(name) && (!never || one.instructions.covered === 0))
          .map((one) => ({
            function: one.name,
            address: both(one.address),
            place: one.file === undefined ? undefined : `${one.file}:${one.line ?? '?'}`,
            entered: one.count,
            instructions: `${one.instructions.covered} of ${one.instructions.total} ran`,
            lines: `${one.lines.covered} of ${one.lines.total}`,
            branch_ways: `${one.branches.covered} of ${one.branches.total}`,
            evidence,
          }));
        return ok(listed(about, 'functions', items, cursor));
      }
      const wanted = new Set<number>();
      instructions.lines.forEach((line, row) => {
        const own = functions[instructions.functions[row]!];
        if (line >= 0 && (name === '' || own?.name.includes(name) === true)) wanted.add(line);
      });
      const items = all
        .filter(({ most }, index) => wanted.has(index) && (!never || most === 0))
        .map(({ file, line, most }) => ({ line: `${file}:${line}`, count: most, evidence }));
      return ok(listed(about, 'lines', items, cursor));
    },
  }),
];
