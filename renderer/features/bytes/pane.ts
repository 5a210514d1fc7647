import type { Pane } from '../../workbench/pane.ts';
import Bytes from './Bytes.svelte';

export const pane: Pane = {
  id: 'bytes',
  title: 'Bytes',
  words: 'hex file raw dump',
  icon: 'file',
  key: 'Ctrl+4',
  home: 'right-lower',
  component: Bytes,
};
