/** Returns the test for numbers below `count`, which computes each answer once. */
export function memo(count: number, test: (number: number) => boolean): (number: number) => boolean {
  const known = new Uint8Array(count);
  return (number) => {
    if (known[number] === 0) known[number] = test(number) ? 2 : 1;
    return known[number] === 2;
  };
}
