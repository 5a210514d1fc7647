import type { Pane } from '../../workbench/pane.ts';
import { onTrace, type Command } from '../../workbench/command.ts';
import type { Direction } from '../../trace/search/search.svelte.ts';
import { stopLooking } from '../../trace/trace.svelte.ts';
import Search from './Search.svelte';

export const pane: Pane = {
  id: 'search',
  title: 'Search',
  words: 'find grep filter regular expression list csv',
  icon: 'search',
  key: 'Ctrl+8',
  home: 'left-lower',
  component: Search,
  startsClosed: true,
  commands: [
    onTrace({ id: 'search', title: 'Search…', key: 'Ctrl+F /', menu: 'Go' }, (_, app) => app.show('search')),
    repeat('search-next', 'Next match', 'F3', 'next'),
    repeat('search-previous', 'Previous match', 'Shift+F3', 'previous'),
  ],
};

/** Goes to the next or previous match of the search form. */
function repeat(id: string, title: string, key: string, direction: Direction): Command {
  return onTrace(
    { id, title, key, menu: 'Go' },
    (trace) => {
      stopLooking(trace);
      void trace.search.step(direction);
    },
    ({ search }) =>
      search.isEmpty ? 'Say what to search for first, in the Search pane.' : (search.problem?.why ?? null),
  );
}
