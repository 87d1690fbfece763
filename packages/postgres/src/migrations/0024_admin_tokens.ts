import { statements } from "./statements.ts"

/** Named admin tokens. `hash` is the SHA-256 of a token's text. */
export default statements(
  `create table admin_tokens (
    id bigint generated always as identity primary key,
    name text not null,
    hash text not null unique,
    scopes text[] not null,
    created_at bigint not null,
    created_by text not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
  )`
)
