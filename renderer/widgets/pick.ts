/** A file that a person chose. Its text is undefined if it cannot be read, for example because it has changed since. */
export interface PickedFile {
  readonly name: string;
  readonly text: string | undefined;
}

/** Lets a person choose a file and reads it as text. Returns undefined if they cancel. */
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
