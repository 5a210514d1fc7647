/** Standard output with backpressure. Ends quietly when its reader goes away. */
import type { Writable } from 'node:stream';
import { jsonText } from '../../../shared/base/visible.ts';

export interface Output {
  /** Resolves when more can be written; at once if the reader has gone. */
  write(text: string): Promise<void>;
  json(value: unknown): Promise<void>;
  /** True for a terminal, unless NO_COLOR is set. */
  readonly colour: boolean;
  /** Columns of the terminal; 80 for pipes and files. */
  readonly width: number;
  /** Reason why writing has ended: the reader went away (`head`), or an error such as a full disk. */
  readonly ended: 'no' | 'reader-gone' | { readonly problem: string };
}

export function createOutput(
  stream: Writable & { readonly isTTY?: boolean; readonly columns?: number },
  onEnd: () => void,
): Output {
  let ended: Output['ended'] = 'no';
  let waiting: (() => void)[] = [];
  const resume = () => {
    for (const settle of waiting) settle();
    waiting = [];
  };
  stream.on('drain', resume);
  stream.on('error', (error: NodeJS.ErrnoException) => {
    ended = error.code === 'EPIPE' ? 'reader-gone' : { problem: error.message };
    onEnd();
    resume();
  });
  const write = (text: string): Promise<void> => {
    if (ended !== 'no' || stream.write(text)) return Promise.resolve();
    return new Promise((settle) => waiting.push(settle));
  };
  return {
    write,
    json: (value) => write(`${jsonText(value)}\n`),
    colour: stream.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb',
    width: stream.columns ?? 80,
    get ended() {
      return ended;
    },
  };
}
