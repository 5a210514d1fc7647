/** Members of a bundle: their names, digests, and the manifest that lists them. */
import { createHash } from 'node:crypto';
import { BUNDLE_FORMAT, BUNDLE_VERSION, MANIFEST, type Manifest } from '../../../shared/requests/bundle/manifest.ts';
import type { BundleFile } from '../../../shared/requests/bundle/bundles.ts';
import { jsonText } from '../../../shared/base/visible.ts';
import { writeArchive, type Members } from './archive.ts';

export type Described = Omit<Manifest, 'format' | 'version' | 'members'>;

export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns a name that depends on the content alone, so that equal members of two bundles have one name. */
export function memberName(folder: string, content: Uint8Array, ending: string, start = ''): string {
  return `${folder}/${start}${digestOf(content).slice(0, 16)}${ending}`;
}

/** Returns the archive of members and of their manifest. */
export function pack(described: Described, members: Members): Uint8Array {
  const facts = [...members]
    .map(([name, content]) => ({ name, bytes: content.length, sha256: digestOf(content) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const manifest: Manifest = {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    ...inOrder(described),
    members: facts,
  };
  const content = encoded(`${jsonText(manifest, 2)}\n`);
  return writeArchive(new Map([...members, [MANIFEST, content]]), MANIFEST);
}

/** Returns equal descriptions of equal contents, in whatever order these were found. */
function inOrder(described: Described): Described {
  const { programs, trace, images, notes, slices, reports, workbenches, leftOut } = described;
  return {
    programs: sortedOnce(programs, String),
    trace,
    images: sortedOnce(images, (image) => JSON.stringify(image)),
    notes,
    slices: slices
      .map(({ by, ...slice }) => ({ ...slice, by: sortedOnce(by, String) }))
      .sort((a, b) => a.from - b.from || a.to - b.to || (a.member < b.member ? -1 : 1)),
    reports: sortedOnce(reports, ({ member, title }) => `${title}\0${member}`),
    workbenches: sortedOnce(workbenches, String),
    leftOut: sortedOnce(leftOut, String),
  };
}

/** Returns the items in the order of their keys, each key once. */
function sortedOnce<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const all = new Map(items.map((item) => [keyOf(item), item]));
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

export function contentsOf(
  { slices, reports, leftOut }: Described,
  { notes, views }: { readonly notes: readonly unknown[]; readonly views: readonly unknown[] },
): BundleFile['contents'] {
  return {
    notes: notes.length,
    views: views.length,
    reports: reports.length,
    slices: slices.length,
    records: slices.reduce((sum, { from, to }) => sum + to - from, 0),
    leftOut,
  };
}

export function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
