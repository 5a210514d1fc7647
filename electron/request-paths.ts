/** The paths of files and folders in the arguments of requests. */
import type { Arguments, RequestName } from '../shared/requests/requests.ts';

/** Returns the arguments of a request with each path replaced by what `change` returns for it. */
export function withPaths<N extends RequestName>(given: Arguments<N>, change: (path: string) => string): Arguments<N> {
  const args: Arguments<RequestName> = given;
  const changed = {
    ...args,
    ...('path' in args && { path: change(args.path) }),
    ...('second' in args && { second: change(args.second) }),
    ...('notebook' in args && { notebook: change(args.notebook) }),
    ...('images' in args && { images: args.images.map((image) => ({ ...image, path: change(image.path) })) }),
    ...('folders' in args && { folders: args.folders.map(change) }),
    ...('maps' in args && { maps: args.maps.map(({ from, to }) => ({ from, to: change(to) })) }),
  };
  return changed as Arguments<N>;
}
