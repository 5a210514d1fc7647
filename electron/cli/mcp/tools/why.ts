/** The tool about the origin of values. */
import type { Bytes, WhyStep, WhyUse } from '../../../../shared/requests/why.ts';
import { fail, ok } from '../../../../shared/base/result.ts';
import { both, listed } from '../findings.ts';
import { address, cpu, hexOf, recordNumber, text, tool, yes } from '../tool.ts';

/** Steps of a search. More are found by a question about the place where these end. */
const STEPS = 100;

export const why = tool({
  name: 'why',
  title: 'Why does this have this value?',
  description:
    'The instructions that made the value of a register or of memory after a record, youngest first, back to constants, inputs and the ' +
    'program image. `uses` name the step that made each value used. With forward: who used the value, oldest first. With pc: which branches ' +
    'decided that the instruction at the record ran.',
  arguments: {
    at: recordNumber('the value after this record'),
    register: text('name of a register'),
    address,
    length: { type: 'integer', minimum: 1, maximum: 256, description: 'bytes from the address; 1 by default' },
    cpu,
    forward: yes('where the value went, in place of where it came from'),
    pc: yes('why the instruction at the record was reached, in place of a register or an address'),
    addresses: yes('also follow registers that formed addresses'),
    control: yes('also follow the branches that decided'),
    steps: { type: 'integer', minimum: 1, maximum: 2000, description: `at most so many steps, ${STEPS} by default` },
  },
  required: ['at'],
  async run({ at, register, address: place, length, steps = STEPS, ...given }, trace, { cursor, call }) {
    const low = place === undefined ? undefined : hexOf('address', place);
    if (low?.ok === false) return low;
    if ([register, place, given.pc === true || undefined].filter((one) => one !== undefined).length !== 1)
      return fail('usage', 'why: give a register, an address or pc, and only one of them');
    const found = await trace.request(
      'why',
      {
        trace: trace.id,
        at,
        steps,
        ...given,
        ...(register !== undefined && { register }),
        ...(low && { address: low.value, ...(length !== undefined && { length }) }),
      },
      { signal: call.signal },
    );
    if (!found.ok) return found;
    const { of, origin, ended, steps: made } = found.value;
    const about = {
      at: found.value.at,
      of: bytesText(of),
      ...(origin.length > 0 && { made_by: origin.map(useText) }),
      ended: { because: ended.reason, open: ended.open.map(bytesText) },
    };
    return ok(listed(about, 'steps', made.map(stepItem), cursor));
  },
});

function stepItem(step: WhyStep, index: number): object {
  return {
    step: index,
    n: step.n,
    address: both(step.address),
    symbol: step.symbol,
    line: step.line,
    text: step.text,
    kind: step.kind,
    reason: step.reason,
    defines: step.defines.map(bytesText),
    uses: step.uses.map(useText),
    copies: step.copies?.length,
    moved_bytes: step.moved,
    ends: step.ends?.map((end) => `${bytesText(end)}: ${end.how}${end.n === undefined ? '' : ` by record ${end.n}`}`),
    evidence: step.inferred
      ? 'inferred: the opcode is not modelled, so some of the uses can be none'
      : 'values from the records of the instruction; uses decoded from its opcode',
  };
}

function useText(use: WhyUse): string {
  const made = use.step === null ? (use.reason ?? 'the value of the question') : `from step ${use.step}`;
  return `${bytesText(use)} (${use.edge}): ${made}${use.inferred === true ? ', inferred' : ''}`;
}

function bytesText(bytes: Bytes): string {
  return 'register' in bytes
    ? `${bytes.register} = ${both(bytes.value) ?? 'unknown'}`
    : `${String(bytes.length)} bytes at ${both(bytes.address)} = ${bytes.value ?? 'unknown'}`;
}
