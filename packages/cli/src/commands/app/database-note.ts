/** What the help of all commands that open the database says. */
export const DATABASE_NOTE =
  '\nIt works on the database itself (DATABASE_URL, or PATCHBAY_DATA). The embedded database has one\n' +
  'process at a time: stop the service first. With DATABASE_URL the service may go on running.';
