import { statements } from "./statements.ts"

/**
 * Whom providers of identities vouch for, and which account they have here; and the SHA-256 of what let somebody in
 * lately, so that it does so once. Times are epoch ms.
 */
export default statements(
  `create table identities (
    issuer text not null,
    subject text not null,
    account bigint not null references accounts (id),
    created_at bigint not null,
    primary key (issuer, subject)
  )`,
  "create index identities_account on identities (account)",
  `create table identity_answers (
    hash text primary key,
    used_at bigint not null
  )`,
  "create index identity_answers_old on identity_answers (used_at)",
  `create trigger identities_durable before insert or update on identities
    for each statement execute function commit_durably()`,
  `create trigger identity_answers_durable before insert on identity_answers
    for each statement execute function commit_durably()`
)
