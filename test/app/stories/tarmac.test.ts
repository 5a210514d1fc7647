/** The stories on a Tarmac trace: a program for ARM starts, copies and clears its data, and writes text into a buffer. */
import { armImage, otherBuild, wordsIn } from './images.ts';
import { playStories } from './play.ts';

const sample = 'tarmac/arm-sort/trace.txt';
const { address, words } = wordsIn(sample, /^\d+ clk 0 I[TS] \(\d+\) (\w{8}) (\w{8})/gm);
const symbols = [
  { name: 'start', value: 0x8000, size: 0x60 },
  { name: 'dispatch', value: 0x8228, size: 0xc0 },
];

playStories({
  format: 'tarmac',
  sample,
  file: 'boot.tarmac',
  last: 199,
  isInGuide: true,
  standsForLayout: true,
  panes: ['Overview', 'Heatmap', 'Instructions', 'Memory', 'Registers', 'Stack'],
  // Line 171 is `MW1 0004000c 30`, and no later line writes there. Line 74 wrote zeros.
  write: { address: 0x4000c, record: 170, change: '00 → 30' },
  time: { record: 170, kind: 'Write', phases: [/start/, /dispatch/] },
  // The line of 0x8050 comes 16 times: after 0x8044, and 15 times after `blo #0x8050` at 0x8058.
  loop: { row: /15 1 0x8050 0x8058/, entry: 60, iterations: [66, 71, 76] },
  image: {
    wrong: armImage(address, otherBuild(words), symbols),
    // Instructions 5 to 103 have moved by a word. Record 12 is instruction 5, the first one that differs.
    says: /wrong\.elf is probably another program or another build.*record 12 at 0x8010 executes 0xe321f0d2, and the image has 0xe1a00000/,
    isRefused: true,
    right: armImage(address, words, symbols),
    matches: 'right.elf matches 100 % of 103 executed opcodes.',
    symbol: 'dispatch',
  },
  // The first line with `strlo`.
  search: { text: 'strlo', record: 44 },
});
