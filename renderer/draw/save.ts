/** Hands a person a figure as a file: a drawing of the page with all its looks written into it, so that it stands alone. */

const LOOKS = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'paint-order',
  'text-anchor',
] as const;

/** What an SVG of the page shows, as text: everything in it, on its ground, in a frame of `width` by `height`. */
export function standaloneSvg(svg: SVGSVGElement, width: number, height: number, ground: string): string {
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) return '';
  const originals = [...svg.querySelectorAll<SVGElement>('*')];
  for (const [at, element] of [...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const original = originals[at];
    if (!original) continue;
    const style = getComputedStyle(original);
    for (const look of LOOKS) {
      const value = style.getPropertyValue(look);
      if (value !== '') element.setAttribute(look, value);
    }
    element.removeAttribute('class');
    element.removeAttribute('style');
  }
  for (const group of copy.querySelectorAll('[data-moves]')) group.removeAttribute('transform');
  for (const mark of copy.querySelectorAll('[data-passing]')) mark.remove();
  for (const name of copy.getAttributeNames()) copy.removeAttribute(name);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`);
  copy.setAttribute('width', String(Math.ceil(width)));
  copy.setAttribute('height', String(Math.ceil(height)));
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  paper.setAttribute('width', '100%');
  paper.setAttribute('height', '100%');
  paper.setAttribute('fill', ground);
  copy.prepend(paper);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

export function saveText(text: string, type: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
