import type { SupportAccount } from './account.ts';
import type { Collection, ZendeskRecord } from './collection.ts';
import type { ExportedEntity, ExportStyle } from './exports.ts';
import type { Filter, Sorting } from './order.ts';
import type { PagingStyle } from './paging.ts';
import type { Parameters } from './parameters.ts';

/** A call as an endpoint sees it. */
export interface EndpointCall {
  readonly account: SupportAccount;
  readonly parameters: Parameters;
  /** The ids in the path, in order. */
  readonly ids: readonly number[];
  /** Who calls; undefined for a credential that was made by hand, which is the first admin's. */
  readonly userId: number | undefined;
}

/** A list, and how the vendor lets it be read. */
export interface ListEndpoint {
  readonly kind: 'list';
  /** The field of the answer that has the records. */
  readonly records: string;
  readonly style: PagingStyle;
  readonly defaultPerPage: number;
  readonly isHelpCenter: boolean;
  collection(call: EndpointCall): { readonly key: string; readonly collection: Collection };
  /** How the list is sorted; the two paginations take different parameters. */
  sorting(parameters: Parameters, isCursor: boolean): Sorting;
  filter?(call: EndpointCall): Filter | undefined;
}

/** One record by its id. */
export interface RecordEndpoint {
  readonly kind: 'record';
  /** The field of the answer that has the record. */
  readonly records: string;
  find(call: EndpointCall): ZendeskRecord | undefined;
}

/** What has changed since a time, deleted records among it. */
export interface ExportEndpoint {
  readonly kind: 'export';
  readonly records: ExportedEntity;
  readonly style: ExportStyle;
  readonly filter?: (call: Pick<EndpointCall, 'account' | 'parameters'>) => Filter | undefined;
}

/** One endpoint. */
export type Endpoint = ListEndpoint | RecordEndpoint | ExportEndpoint;
