/** Entry module of a thread of the decode pool. */
import { loadThread } from './load-thread.ts';

await loadThread('decode-thread');
