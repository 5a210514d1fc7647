/** The functions with the largest own cost, as CSV: `node scripting/examples/hot-functions.ts TRACE [IMAGE]`. */
import { openTrace } from '../client.ts';

const [path = '', image] = process.argv.slice(2);
const trace = openTrace(path, { args: image === undefined ? [] : ['--image', image] });
const { functions, cost, unit } = await trace.request('profile');
console.log(`function,calls,${unit},share`);
for (const { name, calls, self } of functions.slice(0, 10))
  console.log(`${name},${calls},${self},${((100 * self) / cost).toFixed(1)} %`);
await trace.close();
