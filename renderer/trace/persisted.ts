/** Small settings that outlive the page. A storage that is full or forbidden leaves them to this visit; a value of another shape is as none. */
export function load<T>(storage: Storage, key: string, isValid: (value: unknown) => value is T, fallback: T): T {
  try {
    const text = storage.getItem(PREFIX + key);
    const value: unknown = text === null ? undefined : JSON.parse(text);
    return isValid(value) ? value : fallback;
  } catch (problem) {
    console.info(`The setting ${key} could not be read and starts afresh:`, problem);
    return fallback;
  }
}

export function save(storage: Storage, key: string, value: unknown): void {
  try {
    storage.setItem(PREFIX + key, JSON.stringify(value));
  } catch (problem) {
    console.info(`The setting ${key} lasts for this visit only:`, problem);
  }
}

const PREFIX = 'tracebench.';
