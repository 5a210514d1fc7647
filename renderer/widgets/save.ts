/** Lets the browser save a file. */
export function saveFile(content: string | Uint8Array<ArrayBuffer>, type: string, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
