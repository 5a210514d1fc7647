/**
 * Copies rows of a list as lines with tab-separated cells. A selection within one row is copied as it is. Without a selection, the
 * active row is copied.
 */

/** Attachment for a grid: `{@attach copying}`. */
export function copying(grid: HTMLElement): () => void {
  const copy = (event: ClipboardEvent): void => {
    const rows = chosenRows(grid, getSelection());
    if (rows.length === 0) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', rows.map(rowText).join('\n'));
  };
  grid.addEventListener('copy', copy);
  return () => grid.removeEventListener('copy', copy);
}

/**
 * Copies a text for a command that a person chose; false if the browser refuses. The event needs no permission, unlike
 * `navigator.clipboard`, and the desktop grants none.
 */
export function copyText(text: string): boolean {
  const oncopy = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData('text/plain', text);
  };
  addEventListener('copy', oncopy, { capture: true, once: true });
  const isDone = document.execCommand('copy');
  removeEventListener('copy', oncopy, { capture: true });
  return isDone;
}

/** Returns the rows to copy; empty if the browser should copy the selection. */
function chosenRows(grid: HTMLElement, selection: Selection | null): readonly Element[] {
  if (selection && !selection.isCollapsed) {
    const touched = [...grid.querySelectorAll('[role=row]')].filter((row) => selection.containsNode(row, true));
    return touched.length > 1 ? touched : [];
  }
  const walked = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  return walked && grid.contains(walked) ? [walked] : [];
}

/** Returns a row of a list as a line with tab-separated cells. */
export function rowText(row: Element): string {
  return [...row.querySelectorAll('[role=gridcell], [role=columnheader]')].map(textOf).join('\t');
}

/** Returns the text of a cell. Separates parts that are separate on screen, and leaves out decoration and text for screen readers. */
function textOf(cell: Element): string {
  const copy = cell.cloneNode(true) as Element;
  for (const part of copy.querySelectorAll('.spoken, [aria-hidden=true], [data-fold]')) part.remove();
  for (const part of copy.querySelectorAll('code, small, em')) {
    part.before(' ');
    part.after(' ');
  }
  return copy.textContent.replaceAll(/\s+/g, ' ').trim();
}
