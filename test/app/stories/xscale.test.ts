/** The stories on XScale trace buffers: a program for ARM sorts, and several buffers show its branches. */
import { armImage, otherBuild } from './images.ts';
import { playStories } from './play.ts';

/** `partition` at 0x83fc, a function that it does not call, and `quicksort` at 0x84d4. */
const WORDS = `
  e92d40f0 e59f705c e0803001 e1a030c3 e797c103 e2405001 e2811001 e0874100 e4946004 e2855001 e15c0006 cafffffb e2410001 e0873100
  ea000000 e2400001 e1a0e003 e4132004 e1a01000 e15c0002 bafffff9 e1550000 a8bd80f0 e5042004 e58e6000 eaffffed 00040118 e1500001
  a12fff1e e92d4070 e1a05001 e1a01000 e59f604c e0864100 e5b4e004 e1500001 e1a03001 d1a02004 da000004 ea000006 e2433001 e1500003
  e402c004 ca000002 e512c004 e15e000c bafffff8 e2811001 e2833001 e1550001 e786e103 1affffed e8bd8070 00040118 e0413000 e3530007
  e92d4070 da00000b e1a04001 e1a05000 ebffffc2 e1a03000 e1a00005 e1a05003 e1a01003 ebfffff3 e1a01004 e2850001 ebfffff0 e8bd8070
  ebffffd3 e8bd8070`
  .trim()
  .split(/\s+/);
const symbols = [
  { name: 'partition', value: 0x83fc, size: 0x6c },
  { name: 'insertion', value: 0x8468, size: 0x6c },
  { name: 'quicksort', value: 0x84d4, size: 0x48 },
];

playStories({
  format: 'xscale',
  sample: 'xscale/openocd-real-sequence/trace.openocd',
  file: 'sort.openocd',
  last: 991,
  standsForLayout: true,
  panes: ['Overview', 'Instructions', 'Branches', 'Bytes', 'Call graph'],
  write: { address: 0x841c, none: 'There is no earlier write to 0x841c' },
  time: { record: 500, kind: 'Branch', phases: [/partition/] },
  // Messages 1 to 3 follow 3 instructions each: the first loop of `partition`, which ends with `bgt 0x841c`. Message 4 leaves it after 6
  // instructions, and message 5 returns to it after 9, with `b 0x841c` at 0x8460.
  loop: { row: /0x841c 0x8460 partition/, iterations: [1, 2, 3, 5] },
  image: {
    wrong: armImage(0x83fc, otherBuild(WORDS), symbols),
    says: /wrong\.elf is probably another program or another build: it matches 0 % of 3 paths between known addresses\./,
    isRefused: true,
    right: armImage(0x83fc, WORDS, symbols),
    matches: 'right.elf matches 100 % of 3 paths between known addresses.',
    symbol: 'partition',
  },
  search: { text: 'after 9 instructions', record: 5 },
});
