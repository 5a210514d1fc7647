/** Columns: an object of typed arrays with one element per row. */
type Column = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** Replaces the columns by larger ones, and keeps their content. The object stays the same. */
export function moveColumns<C extends { [Name in keyof C]: Column }>(columns: C, larger: C): void {
  for (const name of Object.keys(columns) as (keyof C)[]) {
    larger[name].set(columns[name]);
    columns[name] = larger[name];
  }
}

/** Returns an array of `length` elements that begins with those of the column; the rest has the value `rest`. */
export function longer(column: Int32Array, length: number, rest = 0): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(column);
  if (rest !== 0) larger.fill(rest, column.length);
  return larger;
}
