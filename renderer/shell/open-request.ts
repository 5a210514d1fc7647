/** Requests in the fragment of the page's address: traces to open, and how calls are sent. */
import type { ImagePlace } from '../../shared/requests/requests.ts';
import type { Settings } from '../../shared/format/format.ts';
import type { Source } from '../trace/trace-base.ts';

/** Reads `#open=PATH&format=ID&options=JSON&images=JSON&folders=JSON`. `open` may occur several times. */
export function readOpenRequest(hash: string): readonly Source[] {
  const words = new URLSearchParams(hash.slice(1));
  const format = words.get('format');
  const options = words.get('options');
  const images = words.get('images');
  const folders = words.get('folders');
  const reading = {
    ...(format !== null && { format }),
    ...(options !== null && { options: JSON.parse(options) as Settings }),
    ...(images !== null && { images: JSON.parse(images) as readonly ImagePlace[] }),
    ...(folders !== null && { folders: JSON.parse(folders) as readonly string[] }),
  };
  return words.getAll('open').map((path) => ({ path, ...reading }));
}

/**
 * Reads `#calls=alone`: each call is an HTTP request of its own, which developer tools show by its name, instead of one that several
 * calls share.
 */
export function sendsAlone(hash: string): boolean {
  return new URLSearchParams(hash.slice(1)).get('calls') === 'alone';
}
