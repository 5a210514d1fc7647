/**
 * THE LIST of actions of context menus: what applies to which facts. Actions that are also commands run the command with the facts, show
 * its key and are disabled with its reason.
 */
import { NO_FLOW } from '../../../shared/requests/failures.ts';
import { toHex } from '../../../shared/base/units.ts';
import { copyText } from '../../widgets/copying.ts';
import { saveFile } from '../../widgets/save.ts';
import { rowCsv, tableCsv, type Table } from '../../widgets/table.ts';
import { readRefusal } from '../../trace/access/access-search.svelte.ts';
import { EMPTY_FORM, type SearchForm } from '../../trace/search/criteria.ts';
import { memoryTrack, MOST_BYTES, MOST_TRACKS, registerTrack, trackOf } from '../../../shared/report/time-tracks.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import type { MenuItem } from '../../widgets/menu.ts';
import type { App } from '../app.ts';
import type { Facts } from './facts.ts';

interface Context {
  readonly app: App;
  readonly trace: Trace;
  readonly facts: Facts;
}

/** Returns an item, or one for each of several things, or undefined if the action does not apply to the facts. */
type Action = (context: Context) => MenuItem | readonly MenuItem[] | undefined;

const GROUPS: readonly (readonly Action[])[] = [
  [({ facts }) => facts.go, goThere],
  [
    command('why', isAccessed),
    command('why-forward', isAccessed),
    command('why-reached', isRecord),
    command('previous-write', isAccessed),
    command('next-read', isAccessed, { refusal: noRead }),
    command('next-write', isAccessed),
    command('previous-access', isAccessed, { title: 'Previous access' }),
    command('next-access', isAccessed, { title: 'Next access' }),
    command('watch', isAccessed, { title: 'Watch' }),
  ],
  [
    command('graph-here', isInFunction, { title: 'Show callers and callees', refusal: noFlow }),
    command('next-call', isEdge, { title: 'Next of this edge' }),
    command('previous-call', isEdge, { title: 'Previous of this edge' }),
  ],
  [
    command('bookmark', canBeNoted),
    command('note', canBeNoted),
    ({ facts: { part }, trace }) =>
      part && { title: 'Add to report', icon: 'plus', run: () => void trace.composer.take(part) },
  ],
  [zoomTo, showTrack, command('zoom-all', ({ range }) => range !== undefined), searchAddress, searchValue, searchRange],
  [copy('Copy address', addressText), copy('Copy value', ({ value }) => value), copy('Copy name', nameText), copyRow],
  [copyRowCsv, copyTableCsv, saveTableCsv, copyEachTable, saveEachTable],
];

/** Returns the items of the context menu about a thing. */
export function itemsFor(app: App, trace: Trace, facts: Facts): readonly MenuItem[] {
  const context = { app, trace, facts };
  const [first = [], ...others] = GROUPS.map((group) => group.flatMap((action) => action(context) ?? []));
  return [first, facts.own ?? [], ...others]
    .filter((items) => items.length > 0)
    .flatMap((items, group) => items.map((item, at) => ({ ...item, begins: group > 0 && at === 0 })));
}

/** Returns the item for a command, about the facts if given, else about the cursor. */
export function commandItem(app: App, id: string, facts?: Facts, refusal: string | null = null): MenuItem {
  const { title, key, refusal: own } = app.command(id, facts);
  return {
    title,
    key: key?.split(' ')[0],
    refusal: refusal ?? own,
    run: () => app.run(id, facts),
  };
}

interface Changes {
  /** Shorter title than that of the command, because the menu says what it is about. */
  readonly title?: string;
  readonly refusal?: (context: Context) => string | null;
}

function command(id: string, applies: (facts: Facts) => boolean, { title, refusal }: Changes = {}): Action {
  return (context) => {
    if (!applies(context.facts)) return undefined;
    const item = commandItem(context.app, id, context.facts, refusal?.(context));
    return title === undefined ? item : { ...item, title };
  };
}

function isAccessed({ address, register }: Facts): boolean {
  return address !== undefined || register !== undefined;
}

function isRecord({ record }: Facts): boolean {
  return record !== undefined;
}

function isEdge({ edge }: Facts): boolean {
  return edge !== undefined;
}

function isInFunction({ function: fn, record, address, register }: Facts): boolean {
  return fn !== undefined || (record !== undefined && (address ?? register) !== undefined);
}

function canBeNoted({ record, range, address, note }: Facts): boolean {
  return note === undefined && (record !== undefined || range !== undefined || address !== undefined);
}

function noRead({ facts: { register } }: Context): string | null {
  return register ? readRefusal(register) : null;
}

function noFlow({ trace }: Context): string | null {
  return trace.depths.walk.error?.code === NO_FLOW
    ? `The format ${trace.opened.format.name} does not record program flow.`
    : null;
}

function goThere({ facts: { go, record, address, register }, trace }: Context): MenuItem | undefined {
  if (go || record === undefined) return undefined;
  const { cursor, last } = trace;
  return {
    title: 'Go there',
    refusal:
      record > last
        ? 'The index has not reached this record yet.'
        : record === cursor.n
          ? 'The cursor is at this record.'
          : null,
    run() {
      if (address) cursor.jump(record, address);
      else cursor.jump(record);
      if (register) cursor.setRegister(register);
    },
  };
}

function zoomTo({ facts: { range }, trace }: Context): MenuItem | undefined {
  if (!range) return undefined;
  const { from, to } = trace.shown;
  return {
    title: 'Zoom to these records',
    refusal: range.from <= from && range.to >= to ? 'The charts show no other records.' : null,
    run: () => trace.view.showRecords(range.from, range.to),
  };
}

/** Shows the value of the register or of the memory over time, below the overview. */
function showTrack({ facts: { address, register }, app, trace }: Context): MenuItem | undefined {
  if (!register && !address) return undefined;
  const id = register ? registerTrack(register) : memoryTrack(address!);
  const { view } = trace;
  return {
    title: 'Show as a track',
    refusal: view.tracks.includes(id)
      ? 'The overview shows this track already.'
      : trackOf(id) === undefined
        ? `A track shows at most ${MOST_BYTES} bytes.`
        : view.tracks.length >= MOST_TRACKS
          ? `The overview shows at most ${MOST_TRACKS} tracks. Hide one first.`
          : null,
    run() {
      view.tracks = [...view.tracks, id];
      app.layout.open('overview');
    },
  };
}

function searchAddress({ facts: { address }, app, trace }: Context): MenuItem | undefined {
  return (
    address && {
      title: address.bytes === 1 ? 'Search for this address' : 'Search for these addresses',
      run: () => search(app, trace, { address: spanText(address) }),
    }
  );
}

function searchValue({ facts: { value }, app, trace }: Context): MenuItem | undefined {
  if (value === undefined || !/^0x[0-9a-f]+$/i.test(value)) return undefined;
  return { title: 'Search for this value', run: () => search(app, trace, { value }) };
}

function searchRange({ facts: { range }, app, trace }: Context): MenuItem | undefined {
  return (
    range && {
      title: 'Search in these records…',
      run() {
        trace.view.showRecords(range.from, range.to);
        trace.search.form = { ...trace.search.form, inRange: true };
        app.run('search');
      },
    }
  );
}

/** Fills in the search form, shows it and lists the matches. */
function search(app: App, trace: Trace, form: Partial<SearchForm>): void {
  trace.search.form = { ...EMPTY_FORM, ...form };
  app.run('search');
  trace.search.list();
}

function spanText({ low, bytes }: NonNullable<Facts['address']>): string {
  return bytes === 1 ? toHex(low) : `${toHex(low)}+${bytes}`;
}

function addressText({ address }: Facts): string | undefined {
  return address && toHex(address.low);
}

function nameText({ function: fn, register }: Facts): string | undefined {
  return fn?.name ?? register?.name;
}

function copy(title: string, textOf: (facts: Facts) => string | undefined): Action {
  return ({ facts, trace }) => {
    const text = textOf(facts);
    return text === undefined ? undefined : copyItem(trace, title, text);
  };
}

/** Returns an item that copies a text. */
export function copyItem(trace: Trace, title: string, text: string): MenuItem {
  return { title, run: () => copied(trace, text, text) };
}

function copyRow({ facts: { text, table }, trace }: Context): MenuItem | undefined {
  if (text === undefined || text === '') return undefined;
  return {
    title: table?.at === undefined ? 'Copy text' : 'Copy row',
    key: 'Ctrl+C',
    run: () => copied(trace, text, text),
  };
}

function copyRowCsv({ facts: { table }, trace }: Context): MenuItem | undefined {
  const at = table?.at;
  if (!table || at === undefined) return undefined;
  return { title: 'Copy row as CSV', run: () => copied(trace, rowCsv(table, at), 'the row as CSV') };
}

function copyTableCsv({ facts: { table }, trace }: Context): MenuItem | undefined {
  return table && copyItemOf(trace, table, 'Copy table as CSV');
}

function saveTableCsv({ facts: { table }, trace }: Context): MenuItem | undefined {
  return table && saveItemOf(trace, table, 'Save table as CSV…');
}

function copyEachTable({ facts: { tables }, trace }: Context): readonly MenuItem[] | undefined {
  return tables?.map((table) => copyItemOf(trace, table, `Copy as CSV: ${table.caption}`));
}

function saveEachTable({ facts: { tables }, trace }: Context): readonly MenuItem[] | undefined {
  return tables?.map((table) => saveItemOf(trace, table, `Save as CSV: ${table.caption}`));
}

function copyItemOf(trace: Trace, table: Table, title: string): MenuItem {
  return { title, run: () => void withCsv(table, (csv) => copied(trace, csv, 'the table as CSV')) };
}

function saveItemOf(trace: Trace, table: Table, title: string): MenuItem {
  const run = (): void => void withCsv(table, (csv) => saveFile(csv, 'text/csv', `${trace.name}.${table.name}.csv`));
  return { title, icon: 'save', run };
}

async function withCsv(table: Table, use: (csv: string) => void): Promise<void> {
  const csv = await tableCsv(table);
  if (csv !== undefined) use(csv);
}

const LONGEST = 80;

function copied(trace: Trace, text: string, what: string): void {
  const shown = what.length > LONGEST ? `${what.slice(0, LONGEST)}…` : what;
  trace.say(copyText(text) ? `Copied: ${shown}` : 'The browser refused to copy. Try again.');
}
