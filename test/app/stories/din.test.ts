/** The stories on a Dinero trace: addresses of fetches, reads and writes, and nothing else. */
import { plainImage } from './images.ts';
import { playStories } from './play.ts';

playStories({
  format: 'din',
  sample: 'din/extended/trace.xdin',
  file: 'cache.xdin',
  more: ['i 40000c 4', 'i 400010 4', 'i 400014 4', 'i 400018 4', 'i 40001c 4', 'w 7fffe00c 4', ''].join('\n'),
  last: 14,
  panes: ['Overview', 'Heatmap', 'Instructions', 'Memory'],
  // Line 3 writes 8 bytes at 0x7fffe008, and line 15 the last four of them.
  write: { address: 0x7fffe00b, record: 2 },
  time: { record: 2, kind: 'Write', phases: [/0x400000/, /0x7fffe000/] },
  loop: { none: 'The format Dinero cache simulator trace does not record program flow.' },
  image: {
    wrong: plainImage(32, 0x8000, 0x100, 'main'),
    says: 'No fetched address of the trace lies in wrong.elf: it is another program, or it was loaded at another address.',
    isRefused: true,
    right: plainImage(32, 0x400000, 0x100, 'work'),
    matches: 'All 8 fetched addresses lie in the code of right.elf.',
    symbol: 'work',
  },
  search: { text: 'stack', record: 2 },
});
