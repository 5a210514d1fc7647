/** Compiled ARM programs as trace buffers of an XScale: exactly the instructions that each of them proves. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRandom } from '../../laws/random.ts';
import { encode, type Encoded } from '../../unit/xscale-encoder.ts';
import { ask } from '../ask.ts';
import { few, pairs } from '../../short-form.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';
import { runArm } from './arm-machine.ts';
import { interruptsOf } from './arm-trace.ts';
import { ANSWERS, ARM, compileArm, PROGRAMS } from './compile.ts';
import { namesOf, truthOf } from './truth.ts';
import { beginning, reportsOf } from './xscale-trace.ts';

if (ARM.missing !== undefined) console.warn(`Compiled programs of the XScale are skipped: ${ARM.missing}`);

const place = scratch();
const engines = [1200, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

const WAYS = ['-O2 -marm', '-O1 -marm -march=armv4t', '-Os -mthumb', '-O2 -mthumb'];
const CASES = few(
  pairs(PROGRAMS, WAYS).map(([program, how]) => ({ program, how })),
  2,
);
const CAPTURES = 40;

const objects = path.join(place.folder, 'objects');
fs.mkdirSync(objects);

describe.skipIf(ARM.missing !== undefined).each(CASES)('$program compiled with $how', ({ program, how }) => {
  test('prove exactly the executed instructions, in wrapped and partly filled buffers with up to two checkpoints', async () => {
    const compiled = compileArm(objects, program, how);
    const random = createRandom(program.length + how.length);
    const { image, at } = compiled;
    const interrupt = interruptsOf(createRandom(13), compiled, 'apart');
    const done = runArm({ image, start: at('_start'), finished: at('finished'), interrupt });
    expect(done.answer).toBe(ANSWERS[program]);
    const reports = reportsOf(done);
    const made = Array.from({ length: CAPTURES }, (_, i): Encoded => {
      const { first, start } = beginning(reports, random.below(reports.length - 60));
      return encode(reports.slice(first, first + 40 + random.below(i % 2 === 0 ? 300 : 4000)), start, {
        mode: i % 3 === 0 ? 'fill' : 'wrap',
        fromDebugger: i % 4 === 0,
        marksThumb: false,
        checkpoints: i % 5 === 0 ? 0 : 128,
      });
    });
    const file = place.file('captures.bin', Buffer.concat(made.map(({ buffer }) => buffer)));
    const checkpoints = made.flatMap((each) => each.checkpoints.map((value) => `0x${value.toString(16)}`)).join(',');
    const options = { dialect: 'raw', checkpoints };
    for (const engine of engines) {
      const opening = { path: file, format: 'xscale', options, images: [{ path: compiled.elf }] };
      const { trace } = await ask(engine, 'open', opening);
      await ask(engine, 'index', { trace });
      let proved = 0;
      for (const [capture, { entries }] of made.entries()) {
        const flow = await ask(engine, 'captureFlow', { trace, capture });
        const first = entries.findIndex(({ known, vector }) => known || vector !== undefined);
        const found = [flow.known_from_entry, flow.gaps];
        expect(found, `capture ${capture}`).toEqual([first < 0 ? null : first, []]);
        const behind = entries.slice(first < 0 ? entries.length : first + 1).flatMap(({ ran }) => ran);
        const all = entries.flatMap(({ ran }) => ran).map(({ address }) => `0x${address.toString(16)}`);
        expect(flow.addresses, `capture ${capture}`).toEqual(all.slice(all.length - flow.addresses.length));
        expect(flow.addresses.length, `capture ${capture}`).toBeGreaterThanOrEqual(behind.length);
        proved += flow.addresses.length;
      }
      expect(proved).toBeGreaterThan(CAPTURES * 40);

      const names = namesOf(compiled.functions);
      const { calls } = truthOf(done, names, 0);
      const pairs = new Set(calls.map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`));
      const graph = await ask(engine, 'calls', { trace });
      const nameOf = new Map(graph.functions.map(({ id, name }) => [id, names.canonical(name)]));
      const wrong = graph.edges.filter(({ caller, callee, kind, inferred }) => {
        const ends = [nameOf.get(caller)!, nameOf.get(callee)!];
        return !inferred && !ends.includes('(unknown)') && !pairs.has(`${ends.join(' ')} ${kind}`);
      });
      expect(wrong.map((edge) => [nameOf.get(edge.caller), nameOf.get(edge.callee), edge.kind])).toEqual([]);
      await ask(engine, 'close', { trace });
    }
  });
});
