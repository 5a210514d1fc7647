/** `serve`: serves the workbench on localhost until Ctrl+C. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { once } from 'node:events';
import type { ImagePlace } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { visible } from '../../../shared/base/visible.ts';
import { MOST_SOURCE_PLACES } from '../../../shared/requests/source/source.ts';
import { pageDirectory } from '../../program.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { command, type Context } from '../command.ts';
import { imagesOf, isAutomatic } from '../options/common.ts';
import { openInBrowser, type HandOver } from '../hand-over.ts';
import { printPdf } from '../print-pdf.ts';
import { flag, number, path, several } from '../options/options.ts';
import { withTrace } from '../trace.ts';

export const serve = command({
  name: 'serve',
  text: 'Serve the workbench on localhost; prints the address to open in a browser',
  notes:
    'The address signs in one browser; the address for the next one is printed then. If a trace is named, the page reads only that trace, its images and the source files in --sources, unless --any-file is given; otherwise it reads every file that you can read. Ctrl+C ends the server.',
  trace: 'optional',
  decodes: true,
  serves: true,
  options: {
    port: number('P', whole(0, 65_535), 'the port on 127.0.0.1, any free one by default'),
    'no-open': flag('do not open a browser'),
    sources: several(path('DIR', 'search this folder for source files that are not at their own paths; repeatable')),
    'any-file': flag('let the page read every file that you can read, although a trace is named'),
  },
  async run(context, { port = 0, sources, 'no-open': noOpen = false, 'any-file': anyFile = false }) {
    const { engine, common, out, signal, trace } = context;
    const page = pageDirectory();
    if (!existsSync(join(page, 'index.html'))) {
      return fail('page', `the page is missing in ${page}; run \`npm run setup\` in the project`);
    }
    const { format, option: options, image } = common;
    const given = Object.entries({ '--format': format, '--option': options, '--image': image, '--sources': sources });
    const [asked] = given.find(([, value]) => value !== undefined) ?? [];
    if (asked !== undefined && !trace) return fail('usage', `serve: ${asked} needs a trace; name it after the command`);
    const folders = sourceFolders(sources);
    if (!folders.ok) return folders;
    const images = imagesOf(common)
      // The page itself offers the program beside the trace.
      ?.filter((place) => !isAutomatic(place))
      .map((place) => ({ ...place, path: resolve(place.path) }));
    if (trace) {
      const usable = await ((format ?? options) ? opens(context) : shown(context, trace, images));
      if (!usable.ok) return usable;
    }
    // Loading HTTP takes longer than most commands.
    const { startWeb } = await import('../../wire/web.ts');
    let handOver: HandOver | undefined;
    const host = await startWeb({
      client: engine,
      print: (html, paper, cancel) => printPdf(html, paper === 'A4' ? paper : 'letter', cancel),
      pageDirectory: page,
      port,
      anyFile,
      onSignIn(next) {
        handOver?.remove();
        context.notify(`a browser signed in; the address for another one is ${next}`);
      },
      ...(trace && {
        openFirst: {
          path: resolve(trace),
          ...(format !== undefined && { format }),
          ...(options && { options }),
          ...(images && { images }),
          ...(folders.value.length > 0 && { folders: folders.value }),
        },
      }),
    });
    if (!host.ok) return host;
    const { url } = host.value;
    await (common.json ? out.json({ url }) : out.write(`${url}\n`));
    context.notify('open this address in a browser; Ctrl+C ends the server');
    if (!noOpen && hasDisplay()) {
      handOver = await openInBrowser(url, () => {
        context.notify('no browser could be started; open the address in a browser yourself');
      });
    }
    if (!signal.aborted) await once(signal, 'abort');
    handOver?.remove();
    await host.value.close();
    return ok(undefined);
  },
});

/** Returns the absolute paths of folders, unless one of them is none. */
function sourceFolders(given: readonly string[] = []): Result<readonly string[]> {
  if (given.length > MOST_SOURCE_PLACES)
    return fail('usage', `serve: --sources can be given ${MOST_SOURCE_PLACES} times at most`);
  const other = given.find((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true);
  if (other === undefined) return ok(given.map((folder) => resolve(folder)));
  return fail('usage', `serve: --sources ${visible(other)} is not a folder; name the folder of the source files`);
}

/** Checks that the trace can be read in the given format. */
function opens(context: Context): Promise<Result<void>> {
  return withTrace(context, () => Promise.resolve(ok(undefined)));
}

/** Checks that the file and the images can be read. If no format fits, the page offers all of them. */
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
