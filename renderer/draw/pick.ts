/** Asks a person for a file and reads it as text; undefined where they change their mind. */
export function pickText(accept: string): Promise<{ readonly name: string; readonly text: string } | undefined> {
  return new Promise((resolve, reject) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = accept;
    input.addEventListener('cancel', () => resolve(undefined));
    input.addEventListener('change', () => {
      const file = input.files?.[0];
      if (!file) resolve(undefined);
      else file.text().then((text) => resolve({ name: file.name, text }), reject);
    });
    input.click();
  });
}
