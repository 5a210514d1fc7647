/** Names of the messages between the preload and the main process. They cover only what a page cannot do itself. */
export const CHANNELS = {
  /** Page to main: shows the open dialog. Answers with the chosen paths. */
  openDialog: 'tracebench:open-dialog',
  /** Page to main: reports a dropped file. Answers with its path once access is granted. */
  dropped: 'tracebench:dropped',
  /** Page to main: prints a report. Answers with the PDF or a failure. */
  printReport: 'tracebench:print-report',
  /** Page to main: the commands of the page, for the menu. */
  commands: 'tracebench:commands',
  /** Page to main: the page is ready to receive files. */
  listening: 'tracebench:listening',
  /** Main to page: id of a command chosen in the menu. */
  command: 'tracebench:command',
  /** Main to page: path of a file to open. */
  openFile: 'tracebench:open-file',
} as const;
