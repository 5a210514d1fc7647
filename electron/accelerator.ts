/**
 * Returns the first key of a command (`Ctrl+O`, `g`, `+`) as an Electron accelerator. Returns undefined on macOS for a key without Ctrl or
 * Alt: menus of macOS always listen to their keys and would take letters away from text fields.
 */
export function acceleratorOf(key: string, platform: NodeJS.Platform): string | undefined {
  const first = key.split(' ')[0] ?? '';
  if (platform === 'darwin' && !/^(Ctrl|Alt)\+/.test(first)) return undefined;
  return first
    .replace(/\+$/, 'Plus')
    .replace('Ctrl+', 'CmdOrCtrl+')
    .replace(/\b[a-z]$/, (letter) => letter.toUpperCase());
}
