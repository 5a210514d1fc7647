/** Adds what a colleague's bundle holds to the notebook of the open trace. */
import { basename } from 'node:path';
import { group } from '../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { visible } from '../../../shared/base/visible.ts';
import type { BundleImported } from '../../../shared/requests/bundle/bundles.ts';
import type { Arguments } from '../../../shared/requests/requests.ts';
import { importContent } from '../notebook/requests.ts';
import type { Trace } from '../trace.ts';
import { readBundleFile } from './read-bundle.ts';

/** Fails with `merge` if the bundle is about another trace, and with `bundle` or `unreadable` if it cannot be used. */
export async function importBundle(
  trace: Trace,
  { path, dry = false }: Arguments<'importBundle'>,
): Promise<Result<BundleImported>> {
  const read = await readBundleFile(path);
  if (!read.ok) return read;
  const { manifest, held, problems } = read.value;
  const its = trace.notebook.isOf(manifest.trace);
  if (!its.ok) return its;
  if (!its.value) {
    const { name, bytes } = manifest.trace;
    const [said, open] = [visible(name), visible(basename(trace.file.path))];
    return fail(
      'merge',
      `${path}: this bundle is about another trace, ${said} of ${group(bytes)} bytes, and not about ${open} of ${group(trace.file.bytes)} bytes; open ${said} to merge it`,
    );
  }
  const taken = await importContent(trace, held, dry);
  return taken.ok ? ok({ ...taken.value, of: manifest.trace.name, problems }) : taken;
}
