/** The thread that reads images, whose files are not trusted: the engine ends it if it takes too long or nobody waits any more. */
import { parentPort } from 'node:worker_threads';
import { assert } from '../../../shared/base/result.ts';
import type { Report } from '../image/image.ts';
import { sentImage, type FromImageThread, type ToImageThread } from '../image/image-message.ts';
import { openScopes, openVariables } from '../image/elf/open-variables.ts';
import { openImage } from '../image/open-image.ts';

const port = parentPort;
assert(port !== null, 'images are read in a worker thread');

/** Milliseconds between two reports of progress. */
const REPORT_MS = 100;
let nextReport = performance.now() + REPORT_MS;
const report: Report = (part, bytes, of) => {
  const now = performance.now();
  if (now < nextReport) return;
  nextReport = now + REPORT_MS;
  send({ type: 'progress', part, bytes, of });
};

port.on('message', (place: ToImageThread) => {
  if ('variablesOf' in place) {
    const found = openVariables(place, report);
    send(found.ok ? { type: 'variables', variables: found.value } : { type: 'failure', error: found.error });
    return;
  }
  if ('scopesOf' in place) {
    const found = openScopes(place, report);
    send(found.ok ? { type: 'scopes', scopes: found.value } : { type: 'failure', error: found.error });
    return;
  }
  const image = openImage(place, report);
  if (!image.ok) {
    send({ type: 'failure', error: image.error });
    return;
  }
  const { lines } = image.value;
  send({ type: 'content', image: sentImage(image.value), hasLines: lines !== undefined });
  if (lines !== undefined) send({ type: 'lines', lines: lines().columns });
});

function send(message: FromImageThread): void {
  port?.postMessage(message);
}
