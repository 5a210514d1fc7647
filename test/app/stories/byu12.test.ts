/** The stories on a P6 bus trace with two processors, in records of twelve bytes. */
import { plainImage } from './images.ts';
import { playStories } from './play.ts';

playStories({
  format: 'byu12',
  sample: 'byu12/two-processors/trace.byu',
  file: 'two-processors.byu',
  last: 169,
  panes: ['Overview', 'Heatmap', 'Instructions', 'Memory'],
  // Bytes 1872 to 1883 are 40 f5 12 00 03 10 01 00 ...: a write of 16 bytes at 0x12f540, the only one there.
  write: { address: 0x12f548, record: 156 },
  time: { record: 156, kind: 'Write', phases: [/0x401000/] },
  loop: { none: 'The format BYU 12-byte P6 address trace does not record program flow.' },
  image: {
    wrong: plainImage(32, 0x100000, 0x1000, 'main'),
    says: 'No fetched address of the trace lies in wrong.elf: it is another program, or it was loaded at another address.',
    isRefused: true,
    right: plainImage(32, 0x400f00, 0x400, 'work'),
    matches: 'All 79 fetched addresses lie in the code of right.elf.',
    symbol: 'work',
  },
  search: { text: 'invalidate', record: 6 },
});
