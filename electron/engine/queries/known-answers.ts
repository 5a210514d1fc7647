/**
 * Answers that took a walk over a trace. They do not change once the index is complete, and panes, reports and windows ask for the same
 * ones again. An answer is kept as bytes, because the one that is sent may give its arrays away.
 */
import { Deserializer, Serializer } from 'node:v8';
import { createLru } from '../../../shared/base/lru.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { cachePer } from '../collections/cache-per.ts';
import type { Trace } from '../trace.ts';

const MOST_BYTES = 32 * 1024 * 1024;
/** Larger answers take longer to copy than is saved. */
const LONGEST_ANSWER = 2 * 1024 * 1024;

const answersOf = cachePer(() => createLru<string, Uint8Array>(MOST_BYTES, (bytes) => bytes.length));

/** Returns the answer to a question about a trace. `args`: everything on which the answer depends beside the trace. */
export async function knownAnswer<T>(
  trace: Trace,
  name: string,
  args: object,
  answer: () => Promise<Result<T>>,
): Promise<Result<T>> {
  if (!trace.ingest.complete) return answer();
  const answers = answersOf(trace);
  const question = `${name} ${JSON.stringify(args)}`;
  const known = answers.get(question);
  if (known !== undefined) return ok(fromBytes(known) as T);
  const found = await answer();
  if (found.ok) {
    const bytes = toBytes(found.value);
    if (bytes.length <= LONGEST_ANSWER) answers.set(question, bytes);
  }
  return found;
}

// The functions `serialize` and `deserialize` of this module return arrays that are views of the bytes.

function toBytes(value: unknown): Uint8Array {
  const serializer = new Serializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

function fromBytes(bytes: Uint8Array): unknown {
  const deserializer = new Deserializer(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}
