/** Opens the debug information of an image that was read before: its own, or that of its separate debug file. */
import { BAD_IMAGE } from '../../../../shared/requests/failures.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { ScopesWanted, VariablesWanted } from '../image-message.ts';
import type { Report } from '../image.ts';
import { digestOf, readWhole } from '../read-whole.ts';
import { findDebugFile } from './debug-file.ts';
import { readScopes, type DebugScopes } from './dwarf-scopes.ts';
import { readVariables, type DebugVariables } from './dwarf-types.ts';
import { isElf, readElf, type Elf } from './elf.ts';
import { splitFiles } from './split-files.ts';

/** Fails with BAD_IMAGE if the file has changed since it was read. A file without debug information has no variables. */
export function openVariables({ variablesOf, digest }: VariablesWanted, report: Report): Result<DebugVariables> {
  const none = { variables: [], types: [], moving: 0, problems: [] };
  const read = (elf: Elf, own: Report, path: string) => readVariables(elf, own, splitFiles(path));
  return opened(variablesOf, digest, report, read, none);
}

/** Fails with BAD_IMAGE if the file has changed since it was read. */
export function openScopes({ scopesOf, digest }: ScopesWanted, report: Report): Result<DebugScopes> {
  const read = (elf: Elf, own: Report, path: string) => readScopes(elf, own, splitFiles(path));
  return opened(scopesOf, digest, report, read, { inlined: [], units: [] });
}

function opened<T>(
  path: string,
  digest: string,
  report: Report,
  read: (elf: Elf, report: Report, path: string) => T | undefined,
  none: T,
): Result<T> {
  const file = readWhole(path, report);
  if (!file.ok) return file;
  if (digestOf(file.value)() !== digest)
    return fail(BAD_IMAGE, `${path}: the image has changed since it was opened; open the trace again`);
  const elf = isElf(file.value) ? readElf(file.value) : undefined;
  if (elf?.ok !== true) return ok(none);
  const own = read(elf.value, report, path);
  if (own !== undefined) return ok(own);
  const { found } = findDebugFile(elf.value, path);
  return ok((found && read(found.elf, report, found.path)) ?? none);
}
