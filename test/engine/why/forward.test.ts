/** Where values went, where a trace does not show it: the answer says why it may be incomplete. */
import { afterAll, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';

const place = scratch();
const engine = sharedEngine();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

test.each([
  {
    name: 'an unknown opcode',
    lines: [
      'IT (1) 00008000 e3a00011 A svc_s : mov r0, #0x11',
      'R r0 00000011',
      // No instruction of Arm.
      'IT (2) 00008004 ffffffff A svc_s : ?',
      'IT (3) 00008008 e3a00012 A svc_s : mov r0, #0x12',
      'R r0 00000012',
    ],
    of: { at: 1, register: 'r0' },
    ends: [{ how: 'overwritten', n: 3, reason: 'the opcode at record 2 is not known, and may have used it' }],
  },
  {
    name: 'a read that no instruction explains',
    lines: [
      'IT (1) 00008000 e3a00011 A svc_s : mov r0, #0x11',
      'R r0 00000011',
      'MW4 00001000 00000011',
      'IT (2) 00008004 e3a01012 A svc_s : mov r1, #0x12',
      'MR4 00001000 00000011',
      'R r1 00000012',
    ],
    of: { at: 2, address: '0x1000', length: 4 },
    ends: [{ how: 'kept', reason: 'record 4 read it, and nothing says what became of it' }],
  },
  {
    name: 'memory whose reads the trace does not record',
    lines: [
      'IT (1) 00008000 e5801000 A svc_s : str r1, [r0]',
      'MW4 00001000 00000011',
      'IT (2) 00008004 e5902000 A svc_s : ldr r2, [r0]',
      'R r2 00000011',
    ],
    of: { at: 1, address: '0x1000', length: 4 },
    ends: [{ how: 'unknown', reason: 'the trace does not record what was read from memory' }],
  },
] as const)('says that $name leaves the answer incomplete', async ({ name, lines, of, ends }) => {
  const path = place.file(`${name}.txt`, lines.map((line, k) => `${k + 1} clk cpu0 ${line}\n`).join(''));
  const { trace } = await ask(engine, 'open', { path, format: 'tarmac' });
  await ask(engine, 'index', { trace });
  const why = await ask(engine, 'why', { trace, ...of, forward: true });
  expect(why.steps).toEqual([]);
  expect(why.ends).toMatchObject(ends);
  expect(why.ended).toEqual({ reason: 'unknown', open: [] });
});
