/** Commands about watches: add one, and go to the changes of the chosen one. */
import { toHex } from '../../../shared/base/units.ts';
import { WATCH_BYTES_MOST } from '../../../shared/requests/watches.ts';
import { onTrace, type Command } from '../../workbench/command.ts';
import type { Facts } from '../../workbench/context/facts.ts';
import type { AddressSpan, RegisterName } from '../../trace/cursor.svelte.ts';
import { stopLooking, type Trace } from '../../trace/trace.svelte.ts';
import { targetOf } from './chosen.svelte.ts';

export const commands: readonly Command[] = [
  onTrace(
    { id: 'watch', title: 'Watch the address or register', key: 'a', menu: 'View', words: 'add variable follow' },
    (trace, app, about) => {
      if (watchThis(trace, about)) app.show('watches');
      else trace.say('Choose an address or a register first: click a row, a byte or a register, or go to an address.');
    },
  ),
  change('previous-change', 'Previous change of the watch', ',', 'last'),
  change('next-change', 'Next change of the watch', '.', 'next'),
];

function change(id: string, title: string, key: string, way: 'last' | 'next'): Command {
  return onTrace(
    { id, title, key, menu: 'Go', words: 'watch value variable' },
    (trace) => goToChange(trace, way),
    (trace) =>
      trace.watches.list.length > 0 ? null : 'Nothing is watched: choose an address or a register, and watch it.',
  );
}

/** Watches the thing, or what the cursor is about. Returns false if there is neither an address nor a register. */
function watchThis(trace: Trace, about: Facts | undefined): boolean {
  const subject = trace.accessSearch.subject;
  const register = about ? about.register : subject?.kind === 'register' ? subject.register : undefined;
  const address = about ? about.address : subject?.kind === 'memory' ? subject.span : undefined;
  if (register) trace.watches.add(watchedRegister(register));
  else if (address) void addMemory(trace, address);
  return register !== undefined || address !== undefined;
}

/** Returns a watch of the whole register, also if the name is that of a part. */
export function watchedRegister({ name, cpu }: RegisterName) {
  const whole = name.replace(/<\d+:\d+>/, '');
  return { register: whole, ...(cpu !== undefined && { cpu }), bytes: WIDE.test(whole) ? 8 : 4 };
}

/** Names of registers of 64 bits. */
const WIDE = /^(?:x\d+|sp_el\d|r(?:[a-d]x|[sd]i|[sbi]p))$/i;

/** Watches a span of memory, and names it as soon as its symbol is known. */
async function addMemory({ watches, client, id }: Trace, { low, bytes }: AddressSpan): Promise<void> {
  const watch = watches.add({ address: toHex(low), bytes: Math.min(bytes, WATCH_BYTES_MOST) });
  if (low === 0xffffffffffffffffn) return;
  const found = await client.request('names', { trace: id, low: toHex(low), high: toHex(low + 1n), most: 4 });
  const symbol = found.ok ? found.value.names.find(({ kind }) => kind !== 'segment') : undefined;
  if (!symbol) return;
  const offset = low - BigInt(symbol.low);
  watches.change(watch, { name: offset === 0n ? symbol.name : `${symbol.name}+0x${offset.toString(16)}` });
}

/** Moves the cursor to the previous or next change of the chosen watch. */
function goToChange(trace: Trace, way: 'last' | 'next'): void {
  const target = targetOf(trace).current;
  stopLooking(trace);
  if (target) void trace.changeSearch.find(target, way);
  else trace.say('Choose a watch with a value first.');
}
