/**
 * Reads the lines of files that a process mapped into memory (tools/perf/util/event.c):
 *
 *     PERF_RECORD_MMAP2 1356/1356: [0x5ffeb3637000(0x2000) @ 0x1000 103:01 4733784 3684065051]: r-xp /home/u/demo
 *     PERF_RECORD_MMAP2 1356/1356: [0x5ffeb3637000(0x2000) @ 0x1000 <c0ffee..>]: r-xp /home/u/demo      with a build id
 *     PERF_RECORD_MMAP 1356/1356: [0x5ffeb3637000(0x2000) @ 0x1000]: x /home/u/demo                     older kernels
 */
import type { Mapping, MappingLines } from '../../format/format.ts';

export const MAPPINGS: MappingLines = { mark: 'PERF_RECORD_MMAP', read };

const NUMBER = '(0x[0-9a-f]+|0)';
const LINE = new RegExp(
  `PERF_RECORD_MMAP2? (-?\\d+)/-?\\d+: \\[${NUMBER}\\(${NUMBER}\\) @ ${NUMBER}((?: [^\\]]*)?)\\]: ([a-z-]+) (\\S.*)$`,
);
/** Generation of an inode, which is 0 for mappings that existed before the recording. */
const GENERATION = / \d+$/;
/** Linux adds this to the name of a file that was removed since. */
const DELETED = / \(deleted\)$/;

function read(line: string): Mapping | undefined {
  const [, process = '', address = '', bytes = '', offset = '', identity = '', permissions = '', file = ''] =
    LINE.exec(line) ?? [];
  if (file === '') return undefined;
  return {
    process: Number(process),
    address: BigInt(address),
    bytes: BigInt(bytes),
    offset: BigInt(offset),
    identity: identity.trim().replace(GENERATION, ''),
    isCode: permissions.includes('x'),
    file: file.replace(DELETED, ''),
  };
}
