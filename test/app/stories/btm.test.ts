/** The stories on a Pentium branch trace: a loop that calls a function, with the accesses between the messages. */
import { x86Image } from './images.ts';
import { playStories } from './play.ts';

const NOPS = '90'.repeat(0x18);
/** `call 0x1001a0`, and after 24 bytes `jne 0x100540` at 0x10055d. */
const MAIN = `e85bfcffff${NOPS}75e1`;
/** At 0x10055d the code is `mov eax, 6` instead. */
const OTHER_MAIN = `e85bfcffff${NOPS}b806000000`;
/** `ret` at 0x1001c9. */
const SCALE = `${'90'.repeat(0x29)}c3`;
const symbols = [
  { name: 'main', value: 0x100540, size: 0x1f },
  { name: 'scale', value: 0x1001a0, size: 0x2a },
];
const image = (main: string): Uint8Array =>
  x86Image(
    32,
    [
      { address: 0x100540, hex: main },
      { address: 0x1001a0, hex: SCALE },
    ],
    symbols,
  );

// Record 0 is line 2.
playStories({
  format: 'btm',
  sample: 'btm/real-normal/trace.csv',
  file: 'scale.csv',
  last: 70,
  standsForLayout: true,
  panes: ['Overview', 'Call graph', 'Call tree', 'Instructions', 'Branches'],
  // Line 14 writes 0xa1d0 to the lower four bytes at 0x140398, and line 23 writes to the upper four.
  write: { address: 0x140398, record: 12, change: 'd0' },
  // Record 8, line 10, is the first branch message.
  time: { record: 12, kind: 'Write', phases: [/^0 to 7\t.*no known function/, /^8 to /] },
  // Lines 16, 26, 34, 43, 52 and 61 name 0x100558 as the source, and the preceding line 0x100540 as the target.
  loop: { row: /6 1 0x100540 0x10055d/, iterations: [14, 24, 32] },
  image: {
    wrong: image(OTHER_MAIN),
    says: /wrong\.elf matches 66\.6 % of 3 branch sources\. First difference: record 14 branches from 0x10055d to 0x100540/,
    isRefused: false,
    right: image(MAIN),
    matches: 'right.elf matches 100 % of 3 branch sources',
    symbol: 'scale',
  },
  search: { text: '00140398', record: 12 },
});
