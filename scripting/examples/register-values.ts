/** All values that a register took, and how often: `node scripting/examples/register-values.ts TRACE REGISTER`. */
import { openTrace } from '../client.ts';

const [path = '', register = ''] = process.argv.slice(2);
const trace = openTrace(path);
const times = new Map<string, number>();
let after: number | undefined;
for (;;) {
  const { records } = await trace.request('find', {
    register,
    limit: 1000,
    ...(after !== undefined && { after }),
  });
  for (const { value = 'unknown' } of records) times.set(value, (times.get(value) ?? 0) + 1);
  after = records.at(-1)?.n;
  if (after === undefined) break;
}
for (const [value, count] of [...times].sort(([, a], [, b]) => b - a)) console.log(`${value} ${count}`);
await trace.close();
