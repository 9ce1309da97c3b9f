import type { ConnectorKind } from '@patchbay/connectors';
import type {
  ConnectKind,
  ConnectSession as View,
  ListedConnectSession,
  SyncStatus,
} from '@patchbay/connectors/wire';
import type { ConnectPageSession, ConnectProgress } from '@patchbay/connectors/wire';
import type { ConnectSession } from '@patchbay/store';
import type { Branding } from './session-input.ts';
import { describedKind } from '../operations/described-kind.ts';

/** What the page shows besides the session itself. */
export interface PageFacts {
  readonly applicationName: string;
  /** The kinds of the session, with whether a person can consent to each. */
  readonly kinds: readonly { readonly kind: ConnectorKind; readonly hasConsent: boolean }[];
  readonly progress: ConnectProgress | null;
}

/** As its application sees it. @see docs/wire.md#connect-sessions */
export function viewSession(session: ConnectSession): View {
  const { id, externalUserId, given, problem, expiresAt, shownStatus } = session;
  return {
    id,
    status: shownStatus,
    external_user_id: externalUserId,
    ...connectorOf(session),
    account: given?.account ?? null,
    error: problem,
    expires_at: expiresAt.toISOString(),
  };
}

/** The same in a list, where people look at it. */
export function viewListedSession(session: ConnectSession): ListedConnectSession {
  return {
    ...viewSession(session),
    user_label: session.userLabel,
    created_at: session.createdAt.toISOString(),
  };
}

/** As the page sees it, in the browser that is bound to it. */
export function viewForPage(session: ConnectSession, facts: PageFacts): ConnectPageSession {
  return {
    id: session.id,
    status: session.shownStatus,
    expires_at: session.expiresAt.toISOString(),
    application_name: facts.applicationName,
    user_label: session.userLabel,
    // Written by whoever made the session, as `checkNewSession` gave it.
    branding: session.branding as Branding | null,
    return_url: session.returnUrl,
    origin: session.origin,
    reconnects: session.isReconnection,
    ...connectorOf(session),
    error: session.problem,
    kinds: facts.kinds.map(({ kind, hasConsent }) => viewKind(kind, { session, hasConsent })),
    progress: facts.progress,
  };
}

/** How far the copy of a connector is. */
export function viewProgress({ current, last, entities }: SyncStatus): ConnectProgress {
  return {
    state: (current ?? last)?.state ?? null,
    entities: entities.map(({ entity, state, entity_count: records }) => ({
      entity,
      state,
      records,
    })),
  };
}

function connectorOf(session: ConnectSession) {
  const { given, isReconnection, kinds } = session;
  const [only, ...others] = kinds;
  const isKnown = given !== null || isReconnection;
  return {
    connector_type: given?.kind ?? (others.length === 0 ? (only ?? null) : null),
    connector_id: isKnown ? session.connectorId : null,
  };
}

function viewKind(
  kind: ConnectorKind,
  { session, hasConsent }: { readonly session: ConnectSession; readonly hasConsent: boolean },
): ConnectKind {
  const { display_name, doc, config, auth_methods } = describedKind(kind);
  const isAsked = (name: string) => !session.isReconnection && !Object.hasOwn(session.config, name);
  return {
    connector_type: kind.kind,
    display_name,
    doc,
    config: config
      .filter(({ name }) => isAsked(name))
      .map((setting) => ({
        name: setting.name,
        required: setting.required,
        doc: setting.doc,
        expects: setting.expects,
        allowed: wordsOf(setting.schema),
        default: setting.default ?? null,
      })),
    methods: auth_methods.map(({ name, label, doc: methodDoc, grants, fields }) => ({
      name,
      label,
      doc: methodDoc,
      has_consent: hasConsent && grants.includes('authorization_code'),
      fields: fields.map((field) => ({
        name: field.name,
        doc: field.doc,
        required: field.required,
        secret: kind.auth[name]?.fields[field.name]?.isShown !== true,
      })),
    })),
  };
}

function wordsOf(schema: object): readonly string[] | null {
  const words: unknown = 'enum' in schema ? schema.enum : undefined;
  return Array.isArray(words) ? words.map(String) : null;
}
