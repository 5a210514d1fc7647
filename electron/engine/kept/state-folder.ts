/** Default folder of what the page keeps between two starts: the user's state folder of the platform. */
import path from 'node:path';
import { homeDirectory } from '../platform/home.ts';

export function defaultStateDirectory(): string {
  if (process.platform === 'win32') {
    return path.join(process.env['LOCALAPPDATA'] ?? path.join(homeDirectory(), 'AppData', 'Local'), 'Tracebench');
  }
  if (process.platform === 'darwin') return path.join(homeDirectory(), 'Library', 'Application Support', 'Tracebench');
  const state = process.env['XDG_STATE_HOME'];
  return path.join(
    state !== undefined && path.isAbsolute(state) ? state : path.join(homeDirectory(), '.local', 'state'),
    'tracebench',
  );
}
