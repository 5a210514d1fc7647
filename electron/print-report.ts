/**
 * A report as PDF: laid out by a window that nobody sees, in a session of its own that is forgotten afterwards, has no network, and gives
 * that window one document and nothing else. No script runs in it.
 */
import { randomUUID } from 'node:crypto';
import { BrowserWindow, session, type Session } from 'electron';
import { PAPER_SIZES, type PaperSize } from '../shared/requests/reports.ts';
import { fail, ok, type Result } from '../shared/base/result.ts';

/** Fails with `usage`, or with `print` and a sentence. Never throws: what a page hands over may be anything. */
export async function printReport(report: unknown): Promise<Result<Uint8Array>> {
  if (!isReport(report)) return fail('usage', 'printing takes a report as HTML and a size of paper');
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
      // The style sheet has margins, and leaves the size to the person.
      preferCSSPageSize: true,
      generateTaggedPDF: true,
      generateDocumentOutline: true,
    });
    return ok(new Uint8Array(pdf));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail('print', `The report could not be printed (${why}): export it as HTML and print that in a browser.`);
  } finally {
    window.destroy();
    own.protocol.unhandle(SCHEME);
    await own.clearStorageData();
  }
}

/** Of the desktop's page; in this session it leads to the report alone. */
const SCHEME = 'app';
const DOCUMENT = `${SCHEME}://report/`;
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox";
/** Characters: more than a report of thousands of parts has. */
const MOST = 256 * 1024 * 1024;

function confined(html: string): Session {
  // Without `persist:` nothing of it reaches the disk.
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
  return typeof html === 'string' && html.length <= MOST && PAPER_SIZES.some((size) => size === paper);
}
