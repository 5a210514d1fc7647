// Settings of one run of the benchmark, from its command line.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FORMATS } from '../../shared/formats/index.ts';
import type { Locality } from '../../electron/sample/program.ts';

export interface Case {
  /** Format name of `tracebench sample`. */
  readonly format: string;
  /** Format that reads it. */
  readonly opened: string;
  readonly locality: Locality;
  readonly bytes: number;
  readonly name: string;
}

export interface Settings {
  readonly cases: readonly Case[];
  /** Folder of inputs and indexes. */
  readonly folder: string;
  readonly runs: number;
  /** Number of requests of each kind. */
  readonly questions: number;
  readonly seed: number;
  /** Part of the report's name. */
  readonly label: string;
}

export const USAGE = `node test/bench/run.ts [--size 1GB,4GB] [--format byu6,tarmac] [--locality spread,local,none]
  [--dir FOLDER] [--runs 5] [--questions 100] [--seed 1] [--label NAME]

Formats: those of \`tracebench sample\`.
Sizes: 1GB is 10^9 bytes, 1G is 2^30. Spread data is measured at every size, the others at the first one only.
Needs dist/ as \`npm run setup\` leaves it, and about twice the size of the inputs in FOLDER.`;

export function readSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      size: { type: 'string', default: '1GB,4GB' },
      format: { type: 'string', default: 'byu6,tarmac' },
      locality: { type: 'string', default: 'spread,local,none' },
      dir: { type: 'string', default: join(tmpdir(), 'tracebench-bench') },
      runs: { type: 'string', default: '5' },
      questions: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      label: { type: 'string', default: 'index-and-answers' },
    },
  });
  const sizes = values.size.split(',');
  const localities = values.locality.split(',').map(readLocality);
  const cases = values.format.split(',').flatMap((format) =>
    localities.flatMap((locality) =>
      (locality === 'spread' ? sizes : sizes.slice(0, 1)).map((size) => ({
        format,
        opened: FORMATS.find(({ id }) => format.startsWith(id))?.id ?? format,
        locality,
        bytes: readSize(size),
        name: `${format}-${locality}-${size}`,
      })),
    ),
  );
  return {
    cases,
    folder: values.dir,
    runs: readCount(values.runs),
    questions: readCount(values.questions),
    seed: readCount(values.seed),
    label: values.label,
  };
}

function readLocality(text: string): Locality {
  if (text === 'spread' || text === 'local' || text === 'none') return text;
  throw new Error(`there is no locality ${text}\n${USAGE}`);
}

function readSize(text: string): number {
  const parts = /^(\d+)(?:([KMG])(B?))?$/.exec(text);
  if (parts === null) throw new Error(`${text} is no size\n${USAGE}`);
  const power = parts[2] === undefined ? 0 : 'KMG'.indexOf(parts[2]) + 1;
  return Number(parts[1]) * (parts[3] === 'B' ? 1000 : 1024) ** power;
}

function readCount(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new Error(`${text} is no count\n${USAGE}`);
}
