/** What the service tells the page of a connect session. */
export interface SessionView {
  readonly id: string;
  /** `unconfirmed`: everything is there, and the application has yet to say that it is its user's. */
  readonly status: 'open' | 'unconfirmed' | 'succeeded' | 'expired';
  readonly expires_at: string;
  readonly application_name: string;
  readonly user_label: string | null;
  readonly branding: Branding | null;
  /** Where the person goes afterwards, where the page is no pop-up. */
  readonly return_url: string | null;
  /** Of the page that may have opened this one as a pop-up. */
  readonly origin: string | null;
  /** An existing connector is given credentials anew. */
  readonly reconnects: boolean;
  readonly connector_id: string | null;
  /** What was chosen, or is connected. */
  readonly connector_type: string | null;
  /** What came of the last attempt, for example `access_denied`. */
  readonly error: SessionError | null;
  readonly kinds: readonly KindChoice[];
  /** Of the first copy. */
  readonly progress: Progress | null;
}

export interface Branding {
  readonly name: string | null;
  readonly logo_url: string | null;
  /** Six hex digits. */
  readonly accent: string | null;
}

export interface SessionError {
  readonly code: string;
  readonly message: string;
}

/** A connector kind that may be connected. */
export interface KindChoice {
  readonly connector_type: string;
  readonly display_name: string;
  readonly doc: string;
  readonly config: readonly ConfigField[];
  readonly methods: readonly MethodChoice[];
}

export interface ConfigField {
  readonly name: string;
  readonly required: boolean;
  readonly doc: string;
  /** Completes "must be …". */
  readonly expects: string;
  readonly allowed: readonly string[] | null;
  readonly default: unknown;
}

/** A way to authenticate. */
export interface MethodChoice {
  readonly name: string;
  readonly label: string;
  readonly doc: string;
  /** Somebody who signs in at the vendor can consent, instead of entering anything. */
  readonly has_consent: boolean;
  readonly fields: readonly CredentialField[];
}

export interface CredentialField {
  readonly name: string;
  readonly doc: string;
  readonly required: boolean;
  readonly secret: boolean;
}

export interface Progress {
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | null;
  readonly entities: readonly EntityProgress[];
}

export interface EntityProgress {
  readonly entity: string;
  readonly state: string;
  readonly records: number;
}
