import type { Pane } from '../../workbench/pane.ts';
import Sql from './Sql.svelte';

export const pane: Pane = {
  id: 'sql',
  title: 'SQL',
  words: 'query database select statement recipe table join',
  icon: 'sql',
  key: 'Alt+Q',
  home: 'left-lower',
  component: Sql,
  startsClosed: true,
};
