/** `serve`: the workbench on localhost, until Ctrl+C. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { once } from 'node:events';
import { fail, ok } from '../../shared/result.ts';
import { PAGE_DIRECTORY } from '../program.ts';
import { command } from './command.ts';
import { printPdf } from './print-pdf.ts';
import { count, flag } from './options.ts';

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
    if (trace) {
      const found = await client.call('detect', { path: trace }, { signal });
      if (!found.ok) return found;
    }
    const images = common.image?.map((image) => ({ ...image, path: resolve(image.path) })) ?? [];
    if (images.length > 0) {
      if (!trace) return fail('usage', 'serve: --image needs the trace that it belongs to');
      const usable = await client.call('images', { images }, { signal });
      if (!usable.ok) return usable;
    }
    // Node's HTTP takes longer to load than most commands take.
    const { startWeb } = await import('../web.ts');
    const host = await startWeb({
      client,
      print: (html, paper, cancel) => printPdf(html, paper === 'A4' ? paper : 'letter', cancel),
      pageDirectory: PAGE_DIRECTORY,
      port,
      ...(trace && { openFirst: resolve(trace), images }),
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
