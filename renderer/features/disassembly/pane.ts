import type { Pane } from '../../workbench/pane.ts';
import Disassembly from './Disassembly.svelte';

export const pane: Pane = {
  id: 'disassembly',
  title: 'Disassembly',
  words: 'static code machine assembler branches arrows counts image objdump',
  icon: 'branch',
  key: 'Shift+A',
  home: 'right-upper',
  component: Disassembly,
  startsClosed: true,
};
