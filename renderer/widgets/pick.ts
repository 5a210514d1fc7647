/** A file that a person chose; without text where it cannot be read, as when it changed since. */
export interface PickedFile {
  readonly name: string;
  readonly text: string | undefined;
}

/** Asks a person for a file and reads it as text; undefined where they change their mind. */
export function pickText(accept: string): Promise<PickedFile | undefined> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = accept;
    input.addEventListener('cancel', () => resolve(undefined));
    input.addEventListener('change', () => {
      const file = input.files?.[0];
      if (!file) resolve(undefined);
      else
        file.text().then(
          (text) => resolve({ name: file.name, text }),
          () => resolve({ name: file.name, text: undefined }),
        );
    });
    input.click();
  });
}
