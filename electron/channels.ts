/** Names of the messages between the preload and the main process: what a page cannot do itself, and nothing else. */
export const CHANNELS = {
  /** Page asks: show the open dialog; answers the chosen paths. */
  openDialog: 'tracebench:open-dialog',
  /** Page tells: this file was dropped; answers its path once it may be read. */
  dropped: 'tracebench:dropped',
  /** Page asks: files opened lately, newest first. */
  recentFiles: 'tracebench:recent-files',
  /** Page asks: print this report; answers the PDF, or why there is none. */
  printReport: 'tracebench:print-report',
  /** Page tells: its commands, for the menu. */
  commands: 'tracebench:commands',
  /** Page tells: it can take files now. */
  listening: 'tracebench:listening',
  /** Main tells: a command's id, chosen in the menu. */
  command: 'tracebench:command',
  /** Main tells: the path of a file to open. */
  openFile: 'tracebench:open-file',
} as const;
