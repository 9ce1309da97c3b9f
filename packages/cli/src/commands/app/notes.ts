/** What the help of all commands that open the database says. */
export const DATABASE_NOTE =
  '\nIt works on the database itself (DATABASE_URL, or PATCHBAY_DATA). The embedded database has one\n' +
  'process at a time: stop the service first. With DATABASE_URL the service may go on running.';

/** What the help of those commands adds for which a running service has another call. */
export const DELETE_NOTE =
  '\nA running service does both, revoking and purging: `patchbay app delete`.';

const KEY =
  "The operator's key is that of PATCHBAY_OPERATOR_KEY, of the file that PATCHBAY_OPERATOR_KEY_FILE names,\n" +
  'or of the file that `patchbay start` leaves beside the data folder: <PATCHBAY_DATA>.operator.key.';

/** What the help of all commands that need a running service says. */
export const SERVICE_NOTE = `\nIt asks the running service, with the operator's key.\n${KEY}`;

/** What the help of commands says that can do with either. */
export const EITHER_NOTE =
  "\nIt asks the running service where the operator's key is known and the service answers, and works on\n" +
  'the database itself (DATABASE_URL, or PATCHBAY_DATA) else. Where both key and address were given, or\n' +
  `--base-url was, it asks that service or fails.\n${KEY}`;
