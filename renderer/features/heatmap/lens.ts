/** The lens of the heatmap: switches it, and chooses what it magnifies. */
import { densest, wholePages } from '../../../present/heat/lens.ts';
import { span } from '../../../shared/base/numbers.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { Span } from '../../../present/base/axis.ts';
import { toSpan } from '../../trace/address-bands.svelte.ts';
import { shownRange } from '../../trace/shown-figures.ts';
import type { Trace } from '../../trace/trace.svelte.ts';

/** Pages among which the densest run is looked for. */
const MOST_PAGES = 1000;

/** Removes the lens, or magnifies the selected addresses, or, without a selection, the densest pages of the range. */
export async function switchLens(trace: Trace): Promise<void> {
  const { client, cursor, id, say, view } = trace;
  if (view.lens) {
    view.lens = null;
    say('The heatmap magnifies no addresses.');
    return;
  }
  if (view.selection) {
    magnify(trace, view.selection);
    return;
  }
  const kinds = view.kinds ? { kinds: view.kinds } : {};
  const wanted = { trace: id, ...shownRange({ cursor }), ...kinds, by: 'page', most: MOST_PAGES } as const;
  const found = await client.request('hottest', wanted);
  if (!found.ok) {
    say(found.error.message);
    return;
  }
  const dense = densest(found.value.spots.map(({ count, ...spot }) => ({ count, ...toSpan(spot) })));
  if (dense) magnify(trace, dense);
  else say('No address is accessed here, so there is nothing to magnify.');
}

export function magnify({ view, say }: Trace, addresses: Span): void {
  const lens = wholePages(addresses);
  view.lens = lens;
  say(`The heatmap magnifies ${toHex(lens.low)} to ${toHex(lens.high - 1n)}, ${span(lens.high - lens.low)}.`);
}
