/** Each write of an address, with the origin of what it wrote: `node scripting/examples/writers.ts TRACE IMAGE ADDRESS`. */
import { openTrace, type Hex } from '../client.ts';

const [path = '', image = ''] = process.argv.slice(2);
const address = process.argv[4] as Hex;
const trace = openTrace(path, { args: ['--image', image] });
const { records } = await trace.request('find', {
  address: { low: address, high: address },
  kinds: ['write'],
  limit: 1000,
});
// All questions are sent at once, and answered in their order.
const origins = await Promise.all(
  records.map(({ n, size = 1, address: at = address }) => trace.request('why', { at: n, address: at, length: size })),
);
for (const [i, { n, value }] of records.entries()) {
  const { steps, ended } = origins[i]!;
  const oldest = steps.at(-1);
  const writer = steps[0]?.symbol ?? 'unknown';
  console.log(
    `${n}: ${value ?? 'unknown'} by ${writer}, from record ${oldest?.n ?? n} in ${oldest?.symbol ?? 'unknown'} (${ended.reason})`,
  );
}
await trace.close();
