import type { Pane } from '../../workbench/pane.ts';
import HotSpots from './HotSpots.svelte';

export const pane: Pane = {
  id: 'profile',
  title: 'Hot spots',
  icon: 'chart',
  key: 'Shift+H',
  home: 'left-upper',
  component: HotSpots,
};
