/** Exports a report as a file. The engine makes it, the desktop prints a PDF, and several files become a ZIP archive. */
import type { DesktopBridge } from '../../shared/desktop-bridge.ts';
import type { PaperSize, ReportForm } from '../../shared/requests/reports.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import { zipOf } from '../widgets/archive.ts';
import { saveFile } from '../widgets/save.ts';
import type { Trace } from '../trace/trace.svelte.ts';

export interface ReportExport {
  readonly form: ReportForm;
  /** Paper size of a PDF. */
  readonly paper: PaperSize;
  readonly sha256: boolean;
  /** File name without folder and extension. */
  readonly name: string;
}

/** Returns the name of the saved file, or null if a person cancelled the export. */
export async function exportReport(
  { composer }: Trace,
  bridge: DesktopBridge | undefined,
  { form, paper, sha256, name }: ReportExport,
  signal: AbortSignal,
): Promise<Result<string> | null> {
  if (!isFileName(name)) return fail('name', 'This is not a valid file name. Leave out slashes.');
  const isCancelled = (): boolean => signal.aborted;
  await composer.keep();
  if (isCancelled()) return null;
  const stop = (): void => composer.making.cancel();
  signal.addEventListener('abort', stop);
  const prints = form === 'pdf' && bridge !== undefined;
  const made = await composer.making.make(prints ? 'html' : form, {
    name,
    sha256,
    ...(form === 'pdf' && !prints && { paper }),
  });
  signal.removeEventListener('abort', stop);
  if (!made?.ok) return made;
  const [first] = made.value;
  if (!first) return fail('internal', 'The report has no files.');
  if (prints) {
    const printed = await bridge.printReport({ html: new TextDecoder().decode(first.bytes), paper });
    if (isCancelled()) return null;
    if (!printed.ok) return printed;
    saveFile(printed.value.slice(), TYPES.pdf, `${name}.pdf`);
    return ok(`${name}.pdf`);
  }
  if (made.value.length === 1) {
    saveFile(first.bytes.slice(), TYPES[form], first.name);
    return ok(first.name);
  }
  saveFile(zipOf(made.value, new Date()).slice(), 'application/zip', `${name}.zip`);
  return ok(`${name}.zip`);
}

const TYPES: Readonly<Record<ReportForm, string>> = {
  html: 'text/html',
  md: 'text/markdown',
  json: 'application/json',
  pdf: 'application/pdf',
};

function isFileName(name: string): boolean {
  return /^[^/\\\p{Cc}]{1,200}$/u.test(name) && !/^\.+$/.test(name);
}
