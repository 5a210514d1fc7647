/** The stories on a lackey trace: executed instructions and their accesses, without values. */
import { plainImage } from './images.ts';
import { playStories } from './play.ts';

playStories({
  format: 'lackey',
  sample: 'lackey/program/trace.txt',
  file: 'hello.lackey',
  // A loop of two instructions that runs five times, in records 22 to 36.
  more: 'I  04003012,4\n L 1ffeffe7e0,8\nI  04003016,2\n'.repeat(5),
  last: 36,
  panes: ['Overview', 'Heatmap', 'Instructions', 'Memory', 'Watches', 'Stack'],
  // Line 8 is ` S 1ffeffe7e8,8`.
  write: { address: 0x1ffeffe7e8, record: 7 },
  // Line 6 is the first instruction, after five messages.
  time: { record: 7, kind: 'Write', phases: [/^0 to 4\t.*no known function/, /^5 to 36\t.*work/] },
  loop: { row: /4 1 0x4003012 0x4003016/, iterations: [25, 28, 31] },
  image: {
    wrong: plainImage(64, 0x400000, 0x100, 'main'),
    says: 'No executed address of the trace lies in wrong.elf: it is another program, or it was loaded at another address.',
    isRefused: true,
    right: plainImage(64, 0x4001000, 0x3000, 'work'),
    // Six instructions of the sample and ten of the loop.
    matches: 'All 16 executed addresses lie in the code of right.elf.',
    symbol: 'work',
  },
  // Line 14.
  search: { text: 'hello, world', record: 13 },
});
