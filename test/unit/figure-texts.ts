/** Returns the texts of an SVG, in order. */
export function textsOf(svg: string): readonly { readonly text: string; readonly x: number; readonly y: number }[] {
  return Array.from(svg.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g), ([, attributes = '', text = '']) => ({
    text,
    x: Number(/\bx="([^"]+)"/.exec(attributes)?.[1]),
    y: Number(/\by="([^"]+)"/.exec(attributes)?.[1]),
  }));
}

/** Fails unless the text is well-formed XML of the program's own form: matching tags, no bare `<` or `&`. */
export function assertWellFormed(svg: string): void {
  const open: string[] = [];
  let at = 0;
  for (const found of svg.matchAll(/<(\/?)([a-z]+)((?: [\w-]+="[^"<]*")*)(\/?)>/g)) {
    const [tag, closes, name, attributes = '', isEmpty] = found;
    const between = svg.slice(at, found.index);
    if (/[<>]|&(?!(?:amp|lt|gt|quot|#39);)/.test(between + attributes.replaceAll('>', ''))) {
      throw new Error(`not XML: ${between}${tag}`);
    }
    at = found.index + tag.length;
    if (closes === '/') {
      if (open.pop() !== name) throw new Error(`</${name}> closes another element`);
    } else if (isEmpty === '') open.push(name!);
  }
  if (open.length > 0 || svg.slice(at).trim() !== '') throw new Error(`left open: ${open.join(' ')} ${svg.slice(at)}`);
}
