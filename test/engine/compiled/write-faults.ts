/**
 * Compiles the programs with a fault on purpose and writes their traces and programs into the samples:
 * `node test/engine/compiled/write-faults.ts`, then `UPDATE_GOLDENS=1 npm test -- test/laws test/engine/goldens.test.ts`.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runArm } from './arm-machine.ts';
import { asFastModels } from './arm-trace.ts';
import { compileArm } from './compile.ts';

const SAMPLES = fileURLToPath(new URL('../../samples/tarmac/', import.meta.url));

for (const [name, how] of [
  ['fault-uninitialised', '-O1 -marm'],
  ['fault-stray-write', '-Os -mthumb'],
  ['fault-off-by-one', '-O1 -marm'],
] as const) {
  const objects = fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-fault-'));
  const compiled = compileArm(objects, name, `${how} -g1`);
  const { image, at, elf } = compiled;
  const run = runArm({ image, start: at('_start'), finished: at('finished'), interrupt: () => undefined });
  const folder = path.join(SAMPLES, name);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'trace.txt'), asFastModels(run, compiled));
  fs.writeFileSync(path.join(folder, 'program.elf'), fs.readFileSync(elf));
  fs.rmSync(objects, { recursive: true });
}
