/** Joins two bundles of one trace. Everything that either holds is in the result, which does not depend on their order. */
import { group } from '../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { visible } from '../../../shared/base/visible.ts';
import type { MergedBundle } from '../../../shared/requests/bundle/bundles.ts';
import type { BundleSlice, Manifest } from '../../../shared/requests/bundle/manifest.ts';
import { readingOf } from '../../../shared/requests/notes.ts';
import { writeNotes } from '../notebook/exchange.ts';
import { contentOfNote, contentOfView } from '../notebook/rows.ts';
import { contentsOf, encoded, memberName, pack, type Described } from './contents.ts';
import { mergeItems } from './merge-notes.ts';
import { namedIn, readBundleFile, type ReadBundle } from './read-bundle.ts';

/** Fails with `bundle` if a bundle is damaged, and with `merge` if the bundles are about different traces or readings. */
export async function mergeBundles(first: string, second: string): Promise<Result<MergedBundle>> {
  const [a, b] = [await readBundleFile(first), await readBundleFile(second)];
  if (!a.ok) return a;
  if (!b.ok) return b;
  for (const { path, problems } of [a.value, b.value]) {
    const [problem] = problems;
    if (problem !== undefined)
      return fail('bundle', `${path}: ${problem} Ask for this bundle again before you merge it`);
  }
  const differs = difference(a.value.manifest, b.value.manifest);
  if (differs !== undefined) return fail('merge', `${first} and ${second}: ${differs}`);
  return ok(merge(a.value, b.value));
}

/** Returns why record numbers of one bundle may mean other records in the other one. */
function difference(a: Manifest, b: Manifest): string | undefined {
  const [one, other] = [a.trace, b.trace];
  const isSame =
    one.bytes === other.bytes &&
    one.probe === other.probe &&
    (one.sha256 ?? other.sha256) === (other.sha256 ?? one.sha256);
  if (!isSame)
    return `these bundles are about different traces, of ${group(one.bytes)} and ${group(other.bytes)} bytes; merge bundles of one trace`;
  const [mine, theirs] = [readingOf(one.format), readingOf(other.format)];
  if (mine === theirs && one.records === other.records) return undefined;
  return `the trace was read as '${visible(mine)}' for one bundle and as '${visible(theirs)}' for the other, so a record number means different records; make one of them again with the same --format and --option`;
}

function merge(a: ReadBundle, b: ReadBundle): MergedBundle {
  const notes = mergeItems(a.held.notes, b.held.notes, contentOfNote);
  const views = mergeItems(a.held.views, b.held.views, contentOfView);
  const held = { notes: notes.items, views: views.items };
  const [one, other] = [a.manifest, b.manifest];
  const name = first([one.trace.name, other.trace.name]);
  const sha256 = one.trace.sha256 ?? other.trace.sha256;
  const trace = { ...one.trace, name, ...(sha256 !== undefined && { sha256 }) };
  const text = encoded(writeNotes({ bytes: trace.bytes, probe: trace.probe }, name, held));
  const notesMember = memberName('notes', text, '.json');
  const members = new Map([...named(a), ...named(b), [notesMember, text]]);
  const described: Described = {
    programs: [...one.programs, ...other.programs],
    trace,
    images: [...one.images, ...other.images],
    notes: notesMember,
    slices: slicesOf([...one.slices, ...other.slices]),
    reports: [...one.reports, ...other.reports],
    workbenches: [...one.workbenches, ...other.workbenches],
    leftOut: [...one.leftOut, ...other.leftOut],
  };
  return {
    bytes: pack(described, members),
    contents: contentsOf(described, held),
    notes: notes.taken,
    views: views.taken,
  };
}

/** Returns the members that the manifest refers to, without the notes, which are joined. */
function named({ manifest, members }: ReadBundle): readonly (readonly [string, Uint8Array])[] {
  const names = new Set(namedIn(manifest));
  names.delete(manifest.notes);
  return [...members].filter(([name]) => names.has(name));
}

/** Joins who cites a slice that both bundles hold. */
function slicesOf(slices: readonly BundleSlice[]): readonly BundleSlice[] {
  const all = new Map<string, BundleSlice>();
  for (const { by, ...facts } of slices) {
    const key = JSON.stringify(facts);
    all.set(key, { ...facts, by: [...(all.get(key)?.by ?? []), ...by] });
  }
  return [...all.values()];
}

function first([a, b]: readonly [string, string]): string {
  return a < b ? a : b;
}
