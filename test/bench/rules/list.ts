export interface Rule { readonly name: string; readonly file: string; readonly infers: string; readonly only?: 'image' | 'no image'; readonly without: readonly (readonly [string, string])[] }
export const RULES: readonly Rule[] = [];
