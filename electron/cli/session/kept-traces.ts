/** Keeps traces open between commands: what one of them has read and decoded, the next one need not. */
import { statSync } from 'node:fs';
import type { Answer, Arguments, Client, RequestOptions } from '../../../shared/requests/requests.ts';
import { ok } from '../../../shared/base/result.ts';

/** Traces that are open without a command that uses them. */
const MOST_UNUSED = 4;

interface Kept {
  readonly key: string;
  readonly opened: Answer<'open'>;
  users: number;
}

/**
 * Returns a client for all commands of a session. A trace that was opened with the same arguments, and whose files have not changed since, is
 * not opened again. Closing it leaves it open until several others were used after it.
 */
export function keepTraces(client: Client): Client {
  /** In order of use. */
  const kept: Kept[] = [];

  const open = async (args: Arguments<'open'>, options: RequestOptions<'open'> | undefined) => {
    const key = keyOf(args);
    const known = kept.find((one) => one.key === key);
    if (known !== undefined) {
      known.users++;
      return ok(known.opened);
    }
    const opened = await client.request('open', args, options);
    if (opened.ok) kept.push({ key, opened: opened.value, users: 1 });
    return opened;
  };
  const close = async ({ trace }: Arguments<'close'>) => {
    const place = kept.findIndex(({ opened }) => opened.trace === trace);
    if (place < 0) return client.request('close', { trace });
    const [one] = kept.splice(place, 1) as [Kept];
    one.users--;
    kept.push(one);
    const unused = kept.filter(({ users }) => users === 0);
    for (const old of unused.slice(0, -MOST_UNUSED)) {
      kept.splice(kept.indexOf(old), 1);
      await client.request('close', { trace: old.opened.trace });
    }
    return ok({});
  };
  return {
    // The casts tie the answers of these two requests to their names.
    request: (name, args, options) =>
      name === 'open'
        ? open(args as Arguments<'open'>, options as RequestOptions<'open'>)
        : name === 'close'
          ? close(args as Arguments<'close'>)
          : client.request(name, args, options),
  };
}

/** Changes with the arguments and with any of the files. */
function keyOf(args: Arguments<'open'>): string {
  const files = [args.path, ...(args.images ?? []).map(({ path }) => path)];
  const states = files.map((path) => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found && [found.dev, found.ino, found.size, found.mtimeNs].map(String);
  });
  return JSON.stringify([args, states]);
}
