/** Reads a bundle, which is not trusted, and checks every member against the digest in its manifest. */
import { open } from 'node:fs/promises';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { visible } from '../../../shared/base/visible.ts';
import type { Bundle } from '../../../shared/requests/bundle/bundles.ts';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  MANIFEST,
  manifestSchema,
  type Manifest,
} from '../../../shared/requests/bundle/manifest.ts';
import { parse, pathText } from '../../../shared/requests/schema.ts';
import { withConflicts } from '../notebook/conflicts.ts';
import { readNotes, type Exchanged } from '../notebook/exchange.ts';
import { ARCHIVE_MOST, readArchive, type Members } from './archive.ts';
import { digestOf } from './contents.ts';
import { jsonValue } from '../../../shared/base/json-value.ts';

export interface ReadBundle {
  readonly path: string;
  readonly bytes: number;
  /** Digest of the whole file. */
  readonly digest: string;
  readonly manifest: Manifest;
  /** Members that are as the manifest says. */
  readonly members: Members;
  readonly held: Pick<Exchanged, 'notes' | 'views'>;
  readonly problems: readonly string[];
}

/**
 * Fails with `bundle` if the file has no usable manifest or notes, or with `unreadable`. Every other member that is not as it was written is
 * named in `problems` and is not among the members.
 */
export async function readBundleFile(path: string): Promise<Result<ReadBundle>> {
  const content = await bytesOf(path);
  if (!content.ok) return content;
  const archive = readArchive(content.value);
  if (!archive.ok) return refuse(path, archive.error.message);
  const manifest = manifestOf(archive.value.members.get(MANIFEST));
  if (!manifest.ok) return refuse(path, manifest.error.message);
  const problems: string[] = [];
  if (archive.value.seal === 'changed') problems.push('Bytes of the archive have changed since it was written.');
  if (archive.value.seal === 'none')
    problems.push('Another program packed the archive, so only its members can be checked.');
  const members = new Map<string, Uint8Array>();
  const listed = new Map(manifest.value.members.map((member) => [member.name, member]));
  for (const [name, bytes] of archive.value.members) {
    const said = listed.get(name);
    if (said === undefined) {
      if (name !== MANIFEST) problems.push(`The member ${name} is not listed.`);
    } else if (said.bytes !== bytes.length || said.sha256 !== digestOf(bytes))
      problems.push(`The member ${name} has changed since it was written.`);
    else members.set(name, bytes);
  }
  for (const name of listed.keys())
    if (!archive.value.members.has(name)) problems.push(`The member ${name} is missing.`);
  for (const name of namedIn(manifest.value)) if (!listed.has(name)) problems.push(`The member ${name} has no digest.`);
  const held = notesOf(manifest.value, members);
  if (!held.ok) return refuse(path, held.error.message);
  return ok({
    path,
    bytes: content.value.length,
    digest: digestOf(content.value),
    manifest: manifest.value,
    members,
    held: held.value,
    problems,
  });
}

export async function readBundle(path: string): Promise<Result<Bundle>> {
  const read = await readBundleFile(path);
  if (!read.ok) return read;
  const { bytes, manifest, held, problems } = read.value;
  const { notes, views } = held;
  return ok({ path, bytes, manifest, notes: withConflicts(notes), views: withConflicts(views), problems });
}

/** Returns a member as text. Fails with `bundle` if the bundle does not have it as it was written. */
export async function bundleText(path: string, name: string): Promise<Result<{ readonly text: string }>> {
  const read = await readBundleFile(path);
  if (!read.ok) return read;
  const member = read.value.members.get(name);
  return member === undefined ? noMember(path, name) : ok({ text: new TextDecoder().decode(member) });
}

export function noMember(path: string, name: string): Result<never> {
  return refuse(path, `it has no member ${visible(name)} as it was written`);
}

/** Returns the members that a manifest refers to. */
export function namedIn({ notes, slices, reports, workbenches }: Manifest): readonly string[] {
  return [
    notes,
    ...slices.flatMap(({ member, state }) => [member, state]),
    ...reports.map(({ member }) => member),
    ...workbenches,
  ];
}

async function bytesOf(path: string): Promise<Result<Uint8Array>> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      if (size > ARCHIVE_MOST) return refuse(path, `it has more than ${ARCHIVE_MOST.toLocaleString('en')} bytes`);
      return ok(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = isMissing ? 'there is no such file' : error instanceof Error ? error.message : String(error);
    return fail('unreadable', `${path}: ${why}; name a bundle that tracebench wrote`);
  }
}

function manifestOf(content: Uint8Array | undefined): Result<Manifest> {
  if (content === undefined) return fail('bundle', `it has no ${MANIFEST}`);
  const value = jsonValue(new TextDecoder().decode(content));
  if (typeof value !== 'object' || value === null || !('format' in value) || value.format !== BUNDLE_FORMAT)
    return fail('bundle', `its ${MANIFEST} is not that of a bundle`);
  if (!('version' in value) || value.version !== BUNDLE_VERSION)
    return fail('bundle', `it has another version than ${String(BUNDLE_VERSION)}, which this Tracebench reads`);
  const checked = parse(manifestSchema, value);
  if (checked.ok) return ok(checked.value);
  return fail('bundle', `its ${MANIFEST} is wrong: ${pathText(checked.problem.path)} ${checked.problem.must}`.trim());
}

function notesOf(manifest: Manifest, members: Members): Result<Pick<Exchanged, 'notes' | 'views'>> {
  const content = members.get(manifest.notes);
  if (content === undefined) return fail('bundle', 'its notes are missing or have changed since they were written');
  const read = readNotes(new TextDecoder().decode(content));
  if (!read.ok) return read;
  const { of, notes, views } = read.value;
  if (of.bytes !== manifest.trace.bytes || of.probe !== manifest.trace.probe)
    return fail('bundle', 'its notes are about another trace than its list of contents');
  return ok({ notes, views });
}

function refuse(path: string, why: string): Result<never> {
  return fail('bundle', `${path}: this bundle cannot be read: ${why}; ask for it again`);
}
