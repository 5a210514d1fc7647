/** `serve`: the workbench on localhost, until Ctrl+C. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { once } from 'node:events';
import type { ImagePlace } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { PAGE_DIRECTORY } from '../../program.ts';
import { command, type Context } from '../command.ts';
import { printPdf } from '../print-pdf.ts';
import { count, flag } from '../options.ts';
import { withTrace } from '../trace.ts';

export const serve = command({
  name: 'serve',
  text: 'The workbench on localhost: prints the address to open in a browser',
  notes: 'The address carries a secret: whoever has it can read every file that you can read. Ctrl+C ends it.',
  trace: 'optional',
  decodes: true,
  options: {
    port: count('P', 0, 65_535, 'the port on 127.0.0.1, any free one by default'),
    'no-open': flag('do not open a browser'),
  },
  async run(context, { port = 0, 'no-open': noOpen = false }) {
    const { client, common, out, signal, trace } = context;
    if (!existsSync(join(PAGE_DIRECTORY, 'index.html'))) {
      return fail('page', `the page is missing in ${PAGE_DIRECTORY}: run \`npm run setup\` in the project once`);
    }
    const { format, option: options, image } = common;
    const given = Object.entries({ '--format': format, '--option': options, '--image': image });
    const [asked] = given.find(([, value]) => value !== undefined) ?? [];
    if (asked !== undefined && !trace) return fail('usage', `serve: ${asked} needs the trace that it belongs to`);
    const images = image?.map((place) => ({ ...place, path: resolve(place.path) }));
    if (trace) {
      const usable = await ((format ?? options) ? opens(context) : shown(context, trace, images));
      if (!usable.ok) return usable;
    }
    // Node's HTTP takes longer to load than most commands take.
    const { startWeb } = await import('../../wire/web.ts');
    const host = await startWeb({
      client,
      print: (html, paper, cancel) => printPdf(html, paper === 'A4' ? paper : 'letter', cancel),
      pageDirectory: PAGE_DIRECTORY,
      port,
      ...(trace && {
        openFirst: {
          path: resolve(trace),
          ...(format !== undefined && { format }),
          ...(options && { options }),
          ...(images && { images }),
        },
      }),
    });
    if (!host.ok) return host;
    const { url } = host.value;
    await (common.json ? out.json({ url }) : out.write(`${url}\n`));
    context.tell('the workbench is at this address; Ctrl+C ends it');
    if (!noOpen && hasDisplay()) openBrowser(url, (line) => context.tell(line));
    if (!signal.aborted) await once(signal, 'abort');
    await host.value.close();
    return ok(undefined);
  },
});

/** Whether the trace can be read as it is asked for. */
function opens(context: Context): Promise<Result<void>> {
  return withTrace(context, () => Promise.resolve(ok(undefined)));
}

/** Whether the page can show the file, if only with the choice of all formats where none fits. */
async function shown(
  { client, signal }: Context,
  path: string,
  images: readonly ImagePlace[] = [],
): Promise<Result<unknown>> {
  const found = await client.request('detect', { path }, { signal });
  return found.ok && images.length > 0 ? client.request('images', { images }, { signal }) : found;
}

function hasDisplay(): boolean {
  return process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
}

function openBrowser(url: string, tell: (line: string) => void): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' });
  child.on('error', () => tell('no browser could be started; open the address yourself'));
  child.unref();
}

/** What opens an address in the person's browser; on Windows `start` would take a first argument in quotes as a title. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
