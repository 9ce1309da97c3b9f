import {
  allKinds,
  checkOptions,
  ConnectorError,
  quote,
  systemClock,
  type Clock,
  type Fault,
  type KindName,
  type Kinds,
} from '@patchbay/connectors/definitions';
import { Connectors, isConnectorId, type ConnectorInfo } from './connectors.ts';
import { makeSurface, type HostedConnector, type UntypedConnector } from './hosted-connector.ts';
import { RemoteConnector } from './remote-connector.ts';
import { ServiceClient, type RequestOptions } from './service-client.ts';
import { Tokens } from './tokens.ts';

/** Where the service is, and on whose behalf it is called. */
export interface PatchbayOptions {
  /** The address of the service, for example `https://patchbay.example.com`. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whose connectors: 1 to 4,096 characters. */
  readonly externalUserId: string;
  /** `write` (default), or `read`: then no call can change anything. */
  readonly access?: 'read' | 'write';
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** Longest time of a call that states none, 60,000 ms unless said. */
  readonly timeoutMs?: number;
}

/** Options of looking a connector up. */
export interface ConnectorOptions<N extends KindName = KindName> extends RequestOptions {
  /** The kind that the connector must be of; types the result. */
  readonly kind?: N;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** This many connectors of a kind are told when one was meant. */
const MAX_TOLD = 10;

/**
 * A Patchbay service, on behalf of one external user. Tokens are got when they are needed and
 * kept in memory; making one of these sends nothing.
 */
export class Patchbay {
  /** The connectors of the external user. */
  readonly connectors: Connectors;
  readonly #service: ServiceClient;
  readonly #externalUserId: string;

  /** @throws `invalid_config` for options that make no sense; tells no value of them. */
  constructor(options: PatchbayOptions) {
    checkPatchbayOptions(options);
    const { clientId, clientSecret, externalUserId, access = 'write' } = options;
    const clock = options.clock ?? systemClock;
    const place = {
      baseUrl: options.baseUrl.replace(/\/+$/, ''),
      // Called without a receiver, as browsers demand.
      fetch: options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args)),
      now: () => clock.now(),
    };
    this.#externalUserId = externalUserId;
    this.#service = new ServiceClient({
      place,
      clock,
      tokens: new Tokens(place, clock, { clientId, clientSecret, externalUserId, access }),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
    this.connectors = new Connectors(this.#service, externalUserId);
  }

  /**
   * The call surface of a connector: the external user's only one of a kind (by its name, alias or
   * definition), or the one with an id. It is typed where the kind is a literal, given as the name
   * or as `options.kind`.
   *
   * @throws `connector_not_found`; `invalid_request` listing the ids where there are several of the
   * kind; `unknown_connector_type`.
   */
  connector<const N extends KindName>(
    kind: N,
    options?: RequestOptions,
  ): Promise<HostedConnector<Kinds[N]>>;
  connector<const N extends KindName>(
    id: string,
    options: ConnectorOptions<N> & { readonly kind: N },
  ): Promise<HostedConnector<Kinds[N]>>;
  connector(kindOrId: string, options?: RequestOptions): Promise<UntypedConnector>;
  async connector(kindOrId: string, options: ConnectorOptions = {}): Promise<unknown> {
    const { kind: wanted, ...request } = options;
    const info = isConnectorId(kindOrId)
      ? await this.connectors.get(kindOrId, request)
      : await this.#onlyOne(kindOrId, request);
    const { id, connector_type: type } = info;
    if (wanted !== undefined && wanted !== type)
      throw new ConnectorError(
        'connector_not_found',
        { id },
        { message: `The connector ${id} is of the kind ${type}, not ${wanted}.` },
      );
    const kind = allKinds().find((each) => each.kind === type);
    return makeSurface({
      remote: new RemoteConnector(this.#service, id, kind),
      description: kind === undefined ? await this.connectors.describe(id, request) : undefined,
      check: (checkOptionsOfCall) => this.connectors.check(id, checkOptionsOfCall),
    });
  }

  /** Which of several is meant, nobody but the caller can say. */
  async #onlyOne(kindName: string, options: RequestOptions): Promise<ConnectorInfo> {
    const filter = { connector_type: kindName, limit: MAX_TOLD };
    const { data, next } = await this.connectors.list(filter, options);
    const [first, second] = data;
    if (first === undefined) throw noneOf(kindName, this.#externalUserId);
    if (second !== undefined) throw severalOf(kindName, data, next !== null);
    return first;
  }
}

function noneOf(kindName: string, externalUserId: string): ConnectorError {
  return new ConnectorError(
    'connector_not_found',
    { id: kindName },
    {
      message: `The external user ${quote(externalUserId)} has no connector of the kind ${quote(kindName)}; create one with connectors.create.`,
    },
  );
}

function severalOf(
  kindName: string,
  found: readonly ConnectorInfo[],
  hasMore: boolean,
): ConnectorError {
  const told = found.map(({ id, name, status }) => `${id} (${quote(name)}, ${status})`).join(', ');
  const message = `names a kind of which there are several connectors; give one of their ids: ${told}${hasMore ? ', and more' : ''}`;
  const allowed = found.map(({ id }) => id).join(', ');
  return new ConnectorError(
    'invalid_request',
    { faults: [{ field: 'kindOrId', errorCode: 'conflict', message, allowed }] },
    { message: `${quote(kindName)} ${message}` },
  );
}

/** Callers without types may leave anything out; values are not told, since one is a secret. */
function checkPatchbayOptions(options: PatchbayOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const missing = ['baseUrl', 'clientId', 'clientSecret', 'externalUserId'].filter(
    (name) => typeof given[name] !== 'string' || given[name] === '',
  );
  const { access } = given;
  const faults = [
    ...missing.map((field) => fault(field, 'must be a non-empty string')),
    ...(access === undefined || access === 'read' || access === 'write'
      ? []
      : [fault('access', 'must be "read" or "write"')]),
  ];
  if (faults.length > 0) {
    const told = faults.map(({ field, message }) => `${field} ${message}`).join('; ');
    throw new ConnectorError('invalid_config', { faults }, { message: `Wrong options: ${told}` });
  }
  const { baseUrl, timeoutMs } = options;
  // The library's base URLs may have places for config in braces; here they are a fault.
  checkOptions({ baseUrl: /[{}]/.test(baseUrl) ? '' : baseUrl, timeoutMs });
}

function fault(field: string, message: string): Fault {
  return { field, errorCode: 'not_allowed', message };
}
