/** Default folder of notebooks without a chosen path: the user's data folder of the platform. */
import path from 'node:path';
import { homeDirectory } from '../platform/home.ts';

export function defaultDataDirectory(): string {
  if (process.platform === 'win32') {
    return path.join(process.env['APPDATA'] ?? path.join(homeDirectory(), 'AppData', 'Roaming'), 'Tracebench');
  }
  if (process.platform === 'darwin') return path.join(homeDirectory(), 'Library', 'Application Support', 'Tracebench');
  const data = process.env['XDG_DATA_HOME'];
  return path.join(
    data !== undefined && path.isAbsolute(data) ? data : path.join(homeDirectory(), '.local', 'share'),
    'tracebench',
  );
}
