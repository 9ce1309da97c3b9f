/**
 * What a PostgreSQL server says, for servers of tests.
 *
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

/** A message by the letter of its type. */
export function answerOf(type: string, body: string): Buffer {
  const header = Buffer.alloc(5);
  header.write(type);
  header.writeInt32BE(4 + Buffer.byteLength(body), 1);
  return Buffer.concat([header, Buffer.from(body)]);
}

/** An `ErrorResponse`, after which the server hangs up. */
export function refusalOf(sqlState: string, message: string): Buffer {
  return answerOf('E', `SFATAL\0C${sqlState}\0M${message}\0\0`);
}
