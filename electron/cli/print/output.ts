/** Standard output with backpressure. Ends quietly when its reader goes away. */
import { jsonText } from '../../../shared/base/visible.ts';
import type { Surroundings } from '../surroundings.ts';

export interface Output {
  /** Resolves when more can be written; at once if the reader has gone. */
  write(text: string): Promise<void>;
  json(value: unknown): Promise<void>;
  readonly colour: boolean;
  /** Columns of the terminal; 80 for pipes and files. */
  readonly width: number;
  /** Reason why writing has ended: the reader went away (`head`), or an error such as a full disk. */
  readonly ended: 'no' | 'reader-gone' | { readonly problem: string };
}

export function createOutput(
  { stdout: stream, colour }: Pick<Surroundings, 'stdout' | 'colour'>,
  onEnd: () => void,
): Output {
  let ended: Output['ended'] = stream.destroyed ? 'reader-gone' : 'no';
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
    colour,
    width: stream.columns ?? 80,
    get ended() {
      return ended;
    },
  };
}
