/** Prints what a bundle holds, and of which trace it is. */
import { bytes, counted, group } from '../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { visible } from '../../../shared/base/visible.ts';
import type { BundleSlice } from '../../../shared/requests/bundle/manifest.ts';
import type { Context } from '../command.ts';
import { createTable, facts } from '../print/table.ts';

/** Describes the bundle that is named in the place of a trace. */
export async function bundleInfo({ trace: path, client, signal, common, out }: Context): Promise<Result<void>> {
  const read = await client.request('readBundle', { path }, { signal });
  if (!read.ok) return read;
  const { bytes: size, manifest, notes, views, problems } = read.value;
  const { programs, trace, images, slices, reports, leftOut } = manifest;
  if (common.json) {
    const holds = { notes: notes.length, views: views.length, reports, slices, leftOut };
    await out.json({ bundle: { path, bytes: size, programs }, trace, images, ...holds, problems });
    return ok(undefined);
  }
  const head = facts(
    [
      ['bundle', `${path}, ${bytes(size)}`],
      ['of the trace', `${visible(trace.name)}, ${group(trace.bytes)} bytes, ${counted(trace.records, 'record')}`],
      ['SHA-256 of the trace', trace.sha256 ?? 'left out'],
      ['format', visible(`${trace.format.name} (${trace.format.id})`)],
      ...images.map(({ name, sha256 }): [string, string] => ['image', visible(`${name}, SHA-256 ${sha256}`)]),
      ['notes', group(notes.length)],
      ['views', group(views.length)],
      ...reports.map(({ title, member }): [string, string] => ['report', visible(`${title} (${member})`)]),
    ],
    out.colour,
  );
  const table = createTable<BundleSlice>(
    [
      { title: 'first record', right: true, text: ({ from }) => group(from) },
      { title: 'last', right: true, text: ({ to }) => group(to - 1) },
      { title: 'cited by', text: ({ by }) => visible(by.join(', ')) },
      { title: 'member', text: ({ member }) => member },
    ],
    out.colour,
  );
  const sentences = [...leftOut, ...problems].map((sentence) => `${visible(sentence)}\n`);
  await out.write([head, table.lines(slices), sentences.join('')].filter((text) => text.trim() !== '').join('\n'));
  return ok(undefined);
}
