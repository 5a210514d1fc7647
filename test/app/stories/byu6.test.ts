/** The stories on a Pentium bus trace in records of six bytes. */
import { plainImage } from './images.ts';
import { playStories } from './play.ts';

playStories({
  format: 'byu6',
  sample: 'byu6/complete/trace.byu',
  file: 'boot.byu',
  last: 249,
  standsForLayout: true,
  panes: ['Overview', 'Heatmap', 'Instructions', 'Memory'],
  // Bytes 756 to 761 are 00 14 01 40 0f f0: a write of the upper four bytes at 0x140140. The same bytes do not come again.
  write: { address: 0x140144, record: 126 },
  // Records 0, 1 and 4 fetch at 0x100000, and the other ones up to record 6 read at 0x1007b0 and 0x1007c8. Records 27 to 82 write four bytes
  // each from 0x140020 upwards, and record 83 writes at 0x140100.
  time: {
    record: 60,
    kind: 'Write',
    phases: [/^0 to 6\t.*0x100700.*0x100000/, /0x100000/, /0x100700/, /0x100000/, /^27 to 82\t.*0x140000 to 0x1400ff/],
  },
  loop: { none: 'Loops are unknown. This trace contains no branches, exceptions or instructions.' },
  image: {
    wrong: plainImage(32, 0x400000, 0x1000, 'main'),
    says: 'No fetched address of the trace lies in wrong.elf: it is another program, or it was loaded at another address.',
    isRefused: true,
    right: plainImage(32, 0x100000, 0xc00, 'work'),
    matches: 'All 89 fetched addresses lie in the code of right.elf.',
    symbol: 'work',
  },
  search: { text: 'write-back', record: 247 },
});
