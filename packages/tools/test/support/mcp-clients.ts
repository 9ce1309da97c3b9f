import type { ClientOptions } from '@modelcontextprotocol/client';

/** Clients of several generations, and the protocol revision that each ends up with. */
export const MCP_CLIENTS: readonly {
  readonly name: string;
  readonly options: ClientOptions;
  readonly revision: string;
}[] = [
  {
    name: 'a client of today',
    options: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    revision: '2026-07-28',
  },
  {
    name: 'a client that probes',
    options: { versionNegotiation: { mode: 'auto' } },
    revision: '2026-07-28',
  },
  { name: 'a client of 2025-11-25', options: {}, revision: '2025-11-25' },
  ...['2025-06-18', '2025-03-26'].map((revision) => ({
    name: `a client of ${revision}`,
    options: { supportedProtocolVersions: [revision] },
    revision,
  })),
  {
    name: 'an early client',
    options: { supportedProtocolVersions: ['2024-11-05'] },
    revision: '2024-11-05',
  },
];
