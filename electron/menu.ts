/**
 * The application menu of the desktop host. Its own items are the commands that the page sends. The page runs them and handles their keys,
 * so the menu shows the keys without listening to them. The other items are standard roles of the system.
 */
import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import type { CommandFacts, Menu as MenuName } from '../shared/commands.ts';
import { acceleratorOf } from './accelerator.ts';

export interface MenuOptions {
  /** Commands of the page; empty until the page has sent them. */
  readonly commands: readonly CommandFacts[];
  /** Absolute paths, newest first. */
  readonly recent: readonly string[];
  readonly onCommand: (id: string) => void;
  readonly onRecent: (file: string) => void;
}

/** Sets the application menu. Called again whenever the recent files or the page's commands change. */
export function setMenu(options: MenuOptions): void {
  const mac = process.platform === 'darwin';
  const template: MenuItemConstructorOptions[] = [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    { label: 'File', submenu: [...itemsOf('File', options), recentFiles(options), separator, closing(mac)] },
    { role: 'editMenu' },
    { label: 'Go', submenu: itemsOf('Go', options) },
    { label: 'Notes', submenu: itemsOf('Notes', options) },
    { label: 'View', submenu: [...itemsOf('View', options), separator, ...viewRoles()] },
    { role: 'windowMenu' },
    {
      role: 'help',
      label: 'Help',
      submenu: [...itemsOf('Help', options), ...(mac ? [] : [separator, { role: 'about' } as const])],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

const separator: MenuItemConstructorOptions = { type: 'separator' };

function itemsOf(menu: MenuName, options: MenuOptions): MenuItemConstructorOptions[] {
  return options.commands
    .filter((command) => command.menu === menu)
    .map(({ id, title, key }) => {
      const accelerator = key === undefined ? undefined : acceleratorOf(key, process.platform);
      return {
        id,
        label: title,
        click: () => options.onCommand(id),
        registerAccelerator: false,
        ...(accelerator === undefined ? {} : { accelerator }),
      };
    });
}

function recentFiles(options: MenuOptions): MenuItemConstructorOptions {
  return {
    label: 'Open recent',
    enabled: options.recent.length > 0,
    // A single ampersand in a label would mark an access key.
    submenu: options.recent.map((file) => ({ label: file.replaceAll('&', '&&'), click: () => options.onRecent(file) })),
  };
}

function closing(mac: boolean): MenuItemConstructorOptions {
  return { role: mac ? 'close' : 'quit' };
}

function viewRoles(): MenuItemConstructorOptions[] {
  return [
    { role: 'zoomIn', label: 'Larger text' },
    { role: 'zoomOut', label: 'Smaller text' },
    { role: 'resetZoom', label: 'Normal text size' },
    separator,
    { role: 'togglefullscreen' },
    ...(app.isPackaged ? [] : ([{ role: 'reload' }, { role: 'toggleDevTools' }] as const)),
  ];
}
