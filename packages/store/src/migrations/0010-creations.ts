/**
 * What calls with an `Idempotency-Key` created, apart from writes: the answers are sealed, since some
 * hold a secret that is told once.
 *
 * Older processes survive it; they take no such key.
 */
export const sql = `
create table patchbay.creations (
  -- Who asked, and for what.
  scope text collate "C" not null,
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  instance_id text collate "C" not null,
  answer_status integer,
  sealed_answer text collate "C",
  created_at timestamptz(3) not null default now(),
  primary key (scope, key),
  constraint an_answer_is_whole check ((answer_status is null) = (sealed_answer is null))
);

create index creations_by_age on patchbay.creations (created_at);
`;
