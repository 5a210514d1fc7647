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
import { compileArm, type Compiled } from './compile.ts';

const SAMPLES = fileURLToPath(new URL('../../samples/tarmac/', import.meta.url));

/** Writes the trace of the same program with a name that is short enough, to compare both runs. */
function writeWithoutFault(folder: string, compiled: Compiled): void {
  const image = Buffer.from(compiled.image);
  const at = image.indexOf('pressure!');
  image.write('pump\0', at, 'latin1');
  const run = runArm({
    image,
    start: compiled.at('_start'),
    finished: compiled.at('finished'),
    interrupt: () => undefined,
  });
  fs.writeFileSync(path.join(folder, 'without-fault.txt'), asFastModels(run, compiled));
}

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
  if (name === 'fault-stray-write') writeWithoutFault(folder, compiled);
  fs.rmSync(objects, { recursive: true });
}
