/** Where do notebooks lie that have no place of their own? In the user's data folder, as each platform has it. */
import os from 'node:os';
import path from 'node:path';

export function defaultDataDirectory(): string {
  if (process.platform === 'win32') {
    return path.join(process.env['APPDATA'] ?? path.join(os.homedir(), 'AppData', 'Roaming'), 'Tracebench');
  }
  if (process.platform === 'darwin') return path.join(os.homedir(), 'Library', 'Application Support', 'Tracebench');
  const data = process.env['XDG_DATA_HOME'];
  return path.join(
    data !== undefined && path.isAbsolute(data) ? data : path.join(os.homedir(), '.local', 'share'),
    'tracebench',
  );
}
