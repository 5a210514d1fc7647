/**
 * Prints a report as PDF in a hidden window. The window has its own temporary session without network and without scripts, which serves it
 * one document and nothing else.
 */
import { randomUUID } from 'node:crypto';
import { BrowserWindow, session, type Session } from 'electron';
import { PAPER_SIZES, type PaperSize } from '../shared/requests/reports.ts';
import { fail, ok, type Result } from '../shared/base/result.ts';

/**
 * Returns the PDF. Fails with `usage` if `report` is not `{ html, paper }`, and with `print` if printing fails. Never throws: a page can
 * pass anything.
 */
export async function printReport(report: unknown): Promise<Result<Uint8Array>> {
  if (!isReport(report)) return fail('usage', 'printing needs a report as HTML and a paper size');
  const own = confined(report.html);
  const window = new BrowserWindow({
    show: false,
    webPreferences: {
      session: own,
      javascript: false,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  });
  try {
    window.webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
    await window.loadURL(DOCUMENT);
    const pdf = await window.webContents.printToPDF({
      pageSize: report.paper,
      printBackground: true,
      // The style sheet sets the margins and leaves the paper size to the user.
      preferCSSPageSize: true,
      generateTaggedPDF: true,
      generateDocumentOutline: true,
    });
    return ok(new Uint8Array(pdf));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail('print', `The report could not be printed (${why}). Export it as HTML and print it in a browser.`);
  } finally {
    window.destroy();
    own.protocol.unhandle(SCHEME);
    await own.clearStorageData();
  }
}

/** The private scheme of the desktop host. In this session it serves only the report. */
const SCHEME = 'app';
const DOCUMENT = `${SCHEME}://report/`;
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox";
/** Upper bound in characters, above the size of a report with thousands of parts. */
const LONGEST_REPORT = 256 * 1024 * 1024;

function confined(html: string): Session {
  // A partition without `persist:` keeps the session in memory.
  const own = session.fromPartition(`report-${randomUUID()}`);
  own.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  own.setPermissionCheckHandler(() => false);
  own.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: url !== DOCUMENT && !url.startsWith('data:') }));
  own.protocol.handle(
    SCHEME,
    () =>
      new Response(html, {
        headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
      }),
  );
  return own;
}

function isReport(value: unknown): value is { readonly html: string; readonly paper: PaperSize } {
  if (typeof value !== 'object' || value === null || !('html' in value) || !('paper' in value)) return false;
  const { html, paper } = value;
  return typeof html === 'string' && html.length <= LONGEST_REPORT && PAPER_SIZES.some((size) => size === paper);
}
