/** Sends a request to the engine and fails on anything but an answer. */
import type { Engine } from '../../electron/engine/engine.ts';
import type { Answer, Arguments, RequestName, RequestOptions } from '../../shared/requests/requests.ts';

export async function ask<N extends RequestName>(
  engine: Engine,
  name: N,
  args: Arguments<N>,
  options?: RequestOptions<N>,
): Promise<Answer<N>> {
  const answer = await engine.request(name, args, options);
  if (!answer.ok) throw new Error(`${name}: ${answer.error.code}: ${answer.error.message}`);
  return answer.value;
}

/** The failure with which a request must end. */
export async function refusal<N extends RequestName>(
  engine: Engine,
  name: N,
  args: Arguments<N>,
  options?: RequestOptions<N>,
): Promise<{ code: string; message: string }> {
  const answer = await engine.request(name, args, options);
  if (answer.ok) throw new Error(`${name} answered although it should have been refused`);
  return answer.error;
}
