/** A step of the schema that a backup was made of. */
export interface BackupMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/** How a backup begins. */
export interface BackupHeader {
  readonly type: 'header';
  /** Of the file's own layout. */
  readonly format: number;
  /** By the database's clock, ISO 8601. */
  readonly createdAt: string;
  readonly migrations: readonly BackupMigration[];
}

/** Some rows of a table. */
export interface BackupRows {
  readonly type: 'rows';
  readonly table: string;
  /** The members of each row. */
  readonly columns: readonly string[];
  readonly count: number;
  /** A JSON array of objects, as the database wrote them: no number has been through a double. */
  readonly json: string;
}

/** An entity of which another full read has begun while the backup was made. */
export interface LaterRead {
  readonly connectorId: string;
  readonly entity: string;
  readonly generation: number;
}

/** How a backup ends: what became of copies while they were read. */
export interface BackupEnd {
  readonly type: 'end';
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>;
  /** Connectors that were deleted, or got credentials of another account: what was read of their copies is no whole. */
  readonly brokenCopies: readonly string[];
  readonly laterReads: readonly LaterRead[];
}

/** What a backup consists of: a header, rows with parents before what refers to them, an end. */
export type BackupPart = BackupHeader | BackupRows | BackupEnd;

/** Counts up with what older programs cannot read. */
export const BACKUP_FORMAT = 1;
