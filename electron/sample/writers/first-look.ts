/** The samples of the start screen: small traces of three kinds, the same bytes each time. */
export const FIRST_LOOK = {
  'who-wrote-this': { format: 'tarmac', file: 'who-wrote-this.tarmac', size: 4_000_000, seed: 7 },
  'follow-the-calls': { format: 'brstack', file: 'follow-the-calls.txt', size: 3_000_000, seed: 3 },
  'pentium-bus': { format: 'byu6', file: 'pentium-bus.byu', size: 3_000_000, seed: 5 },
} as const;
