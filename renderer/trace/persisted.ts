/** Loads a setting. Returns the fallback if there is none, if it is invalid, or if the storage cannot be read. */
export function load<T>(storage: Storage, key: string, isValid: (value: unknown) => value is T, fallback: T): T {
  try {
    const text = storage.getItem(PREFIX + key);
    const value: unknown = text === null ? undefined : JSON.parse(text);
    return isValid(value) ? value : fallback;
  } catch (problem) {
    console.info(`The setting ${key} could not be read, so its default is used:`, problem);
    return fallback;
  }
}

/** Saves a setting. If the storage is full or forbidden, the setting lasts until the page closes. */
export function save(storage: Storage, key: string, value: unknown): void {
  try {
    storage.setItem(PREFIX + key, JSON.stringify(value));
  } catch (problem) {
    console.info(`The setting ${key} could not be saved:`, problem);
  }
}

const PREFIX = 'tracebench.';
