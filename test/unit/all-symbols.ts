import type { ImageSymbol, SymbolTable } from '../../electron/engine/image/symbols.ts';

/** Returns all symbols of a table, in its order. */
export function allSymbols({ count, symbol }: SymbolTable): ImageSymbol[] {
  return Array.from({ length: count }, (_, i) => symbol(i));
}
