/** The stories on branch stacks of perf: samples of a program and the kernel, newest branch first. */
import { x86Image } from './images.ts';
import { playStories } from './play.ts';

const code = [
  // `jmp 0x4011e8` at 0x4011d0, `jne 0x401200` at 0x4011e0, `ret` at 0x4011f0, `jne 0x401200` at 0x401210.
  { address: 0x4011d0, hex: `eb16${'90'.repeat(14)}751e${'90'.repeat(14)}c3${'90'.repeat(31)}75ee` },
  // `call 0x5d2000` at 0x401aa0.
  { address: 0x401aa0, hex: 'e85b051d0090' },
  // `ret` at 0x5d2040.
  { address: 0x5d2000, hex: `${'90'.repeat(0x40)}c3` },
];
const symbols = [
  { name: 'parse', value: 0x4011d0, size: 0x42 },
  { name: 'main', value: 0x401aa0, size: 6 },
  { name: 'helper', value: 0x5d2000, size: 0x41 },
];
const empty = code.map(({ address, hex }) => ({ address, hex: '90'.repeat(hex.length / 2) }));

playStories({
  format: 'brstack',
  sample: 'brstack/samples/trace.txt',
  file: 'perf.txt',
  more: `${' 0x401210/0x401200/P/-/-/4/COND/- '.repeat(6)}\n`,
  // Three lines of comments, and 3, 2, 2, 4 and 6 branches.
  last: 19,
  panes: ['Overview', 'Call graph', 'Call tree', 'Instructions', 'Branches'],
  write: { address: 0x401200, none: 'There is no earlier write' },
  time: { record: 5, kind: 'Branch', phases: 'The records of this trace run backwards in time' },
  loop: { row: /0x401200 0x401210/, iterations: [14, 15] },
  image: {
    wrong: x86Image(64, empty, symbols),
    // Five sources of branches are in the image: 0x401aa0, 0x4011f0, 0x4011d0, 0x5d2040 and 0x401210.
    says: 'wrong.elf matches 0 % of 5 branch sources. First difference: record 3 branches from 0x401aa0 to 0x5d2000, and the image has "nop" there.',
    isRefused: true,
    right: x86Image(64, code, symbols),
    matches: 'right.elf matches 100 % of 5 branch sources',
    symbol: 'helper',
  },
  search: { text: 'SYSRET', record: 8 },
});
