/** How much of what tenants can ask for there may be. */
export interface Quotas {
  readonly connectorsPerUser: number;
  readonly connectorsPerApplication: number;
  /** That are open at once. */
  readonly connectSessionsPerUser: number;
  readonly connectSessionsPerApplication: number;
  /** From one sync of a connector that was demanded to the next one. */
  readonly demandApartMs: number;
  /** From one check of a connector to the next one, in each process; sooner the last one answers. */
  readonly checkApartMs: number;
}

/** Sane for a laptop and for a server; none of them is in the way of anybody who means well. */
export const DEFAULT_QUOTAS: Quotas = {
  connectorsPerUser: 100,
  connectorsPerApplication: 10_000,
  connectSessionsPerUser: 20,
  connectSessionsPerApplication: 10_000,
  demandApartMs: 10_000,
  checkApartMs: 5_000,
};

/** The setting of each quota that operators can change. */
export const QUOTA_VARIABLES = {
  connectorsPerUser: 'PATCHBAY_MAX_CONNECTORS_PER_USER',
  connectorsPerApplication: 'PATCHBAY_MAX_CONNECTORS_PER_APPLICATION',
} as const satisfies Partial<Record<keyof Quotas, string>>;

export type QuotaSetting = keyof typeof QUOTA_VARIABLES;
