import { randomUUID } from 'node:crypto';
import {
  ConnectorError,
  isConnectorError,
  systemClock,
  wait,
} from '@patchbay/connectors/definitions';
import {
  Application,
  ApplicationPage,
  DeletedApplication,
  hasShape,
  KeyRotation,
  KeysInUse,
  NewApplication,
  NewApplicationSecret,
  NewSigningKey,
  Problem,
  type ListedApplication,
  type Schema,
  type Wire,
} from '@patchbay/connectors/wire';
import type { KnownOperatorKey } from './operator-key.ts';
import {
  askService,
  parseJson,
  sendToService,
  streamFromService,
  type ServicePlace,
  type ServiceRequest,
} from './service-request.ts';

/** What may be said of an application. */
export interface ApplicationInput {
  readonly name?: string;
  readonly allowed_origins?: readonly string[];
  readonly allowed_return_urls?: readonly string[];
  /** Calls a minute; 0 for the limit of the service. */
  readonly rate_limit?: number;
}

interface OperatorServiceParts {
  readonly baseUrl: string;
  readonly key: KnownOperatorKey;
  readonly timeoutMs?: number;
}

const PATH = '/v1/applications';
const PROBE_TIMEOUT_MS = 5_000;
/** A creation whose answer was lost is asked for again, with its key. */
const CREATE_ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 500;

/** Whether a Patchbay service answers at an address. It is told no key, and says so in its own way. */
export async function isServiceAt(baseUrl: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(baseUrl + PATH, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]),
    });
    return hasShape(Problem, parseJson(await response.text()));
  } catch {
    signal.throwIfAborted();
    // Whatever the trouble is, nobody answers there.
    return false;
  }
}

/**
 * What its operator asks of a running service.
 *
 * @see docs/wire.md#applications
 */
export class OperatorService {
  readonly #parts: OperatorServiceParts;
  readonly #signal: AbortSignal;

  /** @param signal Ends all of its calls. */
  constructor(parts: OperatorServiceParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /** All of them, oldest first. */
  async list(): Promise<readonly ListedApplication[]> {
    const all: ListedApplication[] = [];
    for (let query = ''; ;) {
      const { data, next } = await this.#json(ApplicationPage, {
        method: 'GET',
        path: `${PATH}${query}`,
      });
      all.push(...data);
      if (next === null) return all;
      query = `?cursor=${encodeURIComponent(next)}`;
    }
  }

  /**
   * The application with that id or client id.
   *
   * @throws `application_not_found`.
   */
  async find(idOrClientId: string): Promise<Application> {
    const id = idOrClientId.toLowerCase();
    const all = await this.list();
    const found =
      all.find((each) => each.id === id) ?? all.find((each) => each.client_id === idOrClientId);
    if (found !== undefined)
      return await this.#json(Application, { method: 'GET', path: pathOf(found.id) });
    const message = `There is no application ${JSON.stringify(idOrClientId.slice(0, 64))}.`;
    throw new ConnectorError('application_not_found', {}, { message });
  }

  create(input: ApplicationInput): Promise<NewApplication> {
    return this.#create(NewApplication, { method: 'POST', path: PATH, body: input });
  }

  /** @param id One that the service has told, as in all that follow: it becomes part of a path. */
  change(id: string, input: ApplicationInput): Promise<Application> {
    return this.#json(Application, { method: 'PATCH', path: pathOf(id), body: input });
  }

  delete(id: string): Promise<DeletedApplication> {
    return this.#json(DeletedApplication, { method: 'DELETE', path: pathOf(id) });
  }

  addSecret(id: string): Promise<NewApplicationSecret> {
    return this.#create(NewApplicationSecret, { method: 'POST', path: `${pathOf(id)}/secrets` });
  }

  async removeSecret(id: string, secretId: string): Promise<void> {
    const request = { method: 'DELETE', path: `${pathOf(id)}/secrets/${secretId}` } as const;
    await this.#judged((bearer, place) => sendToService({ ...request, bearer }, place));
  }

  /**
   * The bytes of a backup, which take as long as they take.
   *
   * @throws `not_ready` also where they break off.
   */
  async *backup(): AsyncGenerator<Uint8Array> {
    const chunks = await this.#judged((bearer, place) =>
      streamFromService(
        { method: 'POST', path: '/v1/backup', bearer, changesNothing: true },
        place,
      ),
    );
    yield* chunks;
  }

  /** The master keys and signing keys that are in use. */
  keys(): Promise<KeysInUse> {
    return this.#json(KeysInUse, { method: 'GET', path: '/v1/keys' });
  }

  /** One step of a rotation: some of what is sealed with another key is sealed with the new one. */
  rotateMasterKey(): Promise<KeyRotation> {
    return this.#json(KeyRotation, { method: 'POST', path: '/v1/keys/rotate' });
  }

  /** Makes another key that signs tokens; those of the keys before end, where they are revoked. */
  rotateSigningKey(revokesTokens: boolean): Promise<NewSigningKey> {
    const body = { revoke_tokens: revokesTokens };
    return this.#json(NewSigningKey, { method: 'POST', path: '/v1/keys/signing/rotate', body });
  }

  /** However often it has to be asked for, it is made once. */
  async #create<S extends Schema>(schema: S, request: ServiceRequest): Promise<Wire<S>> {
    const idempotencyKey = randomUUID();
    for (let count = 1; ; count++)
      try {
        return await this.#json(schema, { ...request, idempotencyKey });
      } catch (error) {
        const mayHelp =
          isConnectorError(error, 'not_ready') ||
          isConnectorError(error, 'idempotency_in_progress');
        if (!mayHelp || count === CREATE_ATTEMPTS) throw error;
        await wait(systemClock, count * BETWEEN_ATTEMPTS_MS, this.#signal);
      }
  }

  #json<S extends Schema>(schema: S, request: ServiceRequest): Promise<Wire<S>> {
    return this.#judged((bearer, place) => askService(schema, { ...request, bearer }, place));
  }

  /** Asks the service with the key; where that is refused, says which key it is. */
  async #judged<T>(ask: (bearer: string, place: ServicePlace) => Promise<T>): Promise<T> {
    const { baseUrl, key, timeoutMs } = this.#parts;
    try {
      return await ask(key.key, { baseUrl, signal: this.#signal, timeoutMs });
    } catch (error) {
      throw isConnectorError(error, 'unauthenticated') ? await this.#keyRefused(error) : error;
    }
  }

  async #keyRefused(cause: ConnectorError): Promise<Error> {
    // Loaded late: it takes longer to load than most commands to run.
    const { ServiceError } = await import('@patchbay/server');
    const { baseUrl, key } = this.#parts;
    return new ServiceError(
      'operator_key_unusable',
      `The service at ${baseUrl} refuses the operator's key of ${key.source}; nothing was done. Give the key of that service, or the address of the service that has this one.`,
      { cause },
    );
  }
}

function pathOf(id: string): string {
  return `${PATH}/${id}`;
}
