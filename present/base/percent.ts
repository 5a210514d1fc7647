/** Formats a fraction as `12.3 %`, `< 0.1 %` or `0 %`. */
export function percent(fraction: number): string {
  if (fraction > 0 && fraction < 0.001) return '< 0.1 %';
  const text = (100 * fraction).toFixed(fraction >= 0.0995 ? 0 : 1);
  return `${Number(text)} %`;
}
