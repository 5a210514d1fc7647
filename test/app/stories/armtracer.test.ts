/** The stories on Tracer text: a program for ARM starts on a core with a cache, seen from the core and from the bus. */
import { armImage, otherBuild, wordsIn } from './images.ts';
import { playStories } from './play.ts';

const sample = 'armtracer/real-matrix/trace.txt';
const { address, words } = wordsIn(sample, /^I[TS] (\w{8}) (\w{8})/gm);
const symbols = [{ name: 'start', value: 0x8000, size: 0x44 }];

// Three lines come before record 0, which is line 4.
playStories({
  format: 'armtracer',
  sample,
  file: 'boot.trace',
  last: 96,
  panes: ['Overview', 'Heatmap', 'Instructions', 'Memory', 'Registers', 'Stack'],
  // Lines 85 and 86 are the write of the core and of the bus: `MNW4____ 00040000 01234567` and `BNW4____ 00040000 01234567`.
  write: { address: 0x40000, record: 82, change: '67' },
  // Record 5, line 9, is the fetch of the first instruction.
  time: { record: 81, kind: 'Write', phases: [/^0 to 4\t.*no known function/, /^5 to .*start/] },
  // Lines 72 and 96 execute 0x8034, the second one after `BLO #0x8034` at 0x8040.
  loop: { row: /1 1 0x8034 0x8040/, iterations: [92] },
  image: {
    wrong: armImage(address, otherBuild(words), symbols),
    // Line 31 executes 0x8010, the first instruction that has moved.
    says: /wrong\.elf is probably another program or another build.*record 27 at 0x8010 executes 0xe321f0d2, and the image has 0xe1a00000/,
    isRefused: true,
    right: armImage(address, words, symbols),
    matches: 'right.elf matches 100 % of 19 executed opcodes.',
    symbol: 'start',
  },
  search: { text: 'STRLO', record: 80 },
});
