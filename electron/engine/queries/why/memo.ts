/** Returns the test for small numbers that computes each answer once. */
export function memo(test: (number: number) => boolean): (number: number) => boolean {
  let known = new Uint8Array(1024);
  return (number) => {
    if (number >= known.length) {
      const larger = new Uint8Array(2 * number);
      larger.set(known);
      known = larger;
    }
    if (known[number] === 0) known[number] = test(number) ? 2 : 1;
    return known[number] === 2;
  };
}
