import assert from 'node:assert/strict';
import { isConnectorError, type ConnectorError } from '../../src/index.ts';

/** The error that a call ends with. */
export async function errorOf(promise: Promise<unknown>): Promise<ConnectorError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(isConnectorError(error), String(error));
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}

/** What an error shows, but for the request id, which only the hosted client has. */
export function shown({ code, status, retry, message, details }: ConnectorError) {
  const { requestId: _, ...rest } = details;
  return { code, status, retry, message, details: rest };
}
