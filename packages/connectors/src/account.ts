/** Whose credentials are, as the upstream says. */
export interface Account {
  /** The vendor's id of the account. */
  readonly id: string;
  /** What people call the account, where the vendor says so. */
  readonly name: string | null;
  /** The vendor's id of the person or bot that the credentials stand for. */
  readonly principal: string;
}

/** Whether two are the same account and the same principal, whatever they are called by now. */
export function isSameAccount(a: Account, b: Account): boolean {
  return a.id === b.id && a.principal === b.principal;
}
