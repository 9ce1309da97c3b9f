import { isLoopbackHost } from '@patchbay/connectors/wire';
import type { ServiceOptions } from './contract.ts';

/** Where a service is reached, which it knows in full only once it listens. */
export class ServiceAddress {
  readonly host: string;
  readonly port: number;
  readonly #publicUrl: string | undefined;
  #listensAt: string | undefined;

  constructor({ host = '127.0.0.1', port = 8080, publicUrl }: ServiceOptions) {
    this.host = host;
    this.port = port;
    this.#publicUrl = publicUrl;
  }

  /** Where browsers reach it: as it was told, or where it listens, if that is a loopback address. */
  publicUrl(): string | undefined {
    return this.#publicUrl ?? (isLoopbackHost(this.host) ? this.#listensAt : undefined);
  }

  /** It listens there, for example `http://127.0.0.1:8080`. */
  listensAt(url: string): void {
    this.#listensAt = url;
  }
}
