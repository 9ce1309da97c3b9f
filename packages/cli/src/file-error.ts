/** The code of a failure of the file system, such as `EACCES`, for a message. */
export function fileErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
