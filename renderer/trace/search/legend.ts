/** Highlighted searches as entries of a legend. */
import { pinText, signOf, type Highlight } from './highlights.svelte.ts';
import type { Search } from './search.svelte.ts';

/** Returns the CSS colour of a highlighted search. */
export function colourOf(colour: Highlight['colour']): string {
  return colour === 'current' ? 'var(--accent)' : `var(--n-${colour})`;
}

/** Returns the current search, if it is not pinned, and all pinned ones. */
export function legendOf(search: Search) {
  const { list, pins, toggle, remove } = search.highlights;
  const current = list.filter(({ colour }) => colour === 'current');
  return [
    ...current.map(({ sign, colour, label }) => ({ sign, colour: colourOf(colour), label })),
    ...pins.map((pin) => ({
      sign: signOf(pin.colour),
      colour: colourOf(pin.colour),
      label: pinText(pin),
      shown: pin.shown,
      ontoggle: () => toggle(pin.colour),
      onremove: () => remove(pin.colour),
      onchoose() {
        search.form = pin.form;
        void search.step('next');
      },
    })),
  ];
}
