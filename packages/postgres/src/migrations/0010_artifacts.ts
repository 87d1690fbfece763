import { statements } from "./statements.ts"

/** Images that calls made, each for its account; a call keeps one. What is an image is not compressed again. */
export default statements(
  `create table artifacts (
    account bigint not null,
    id text collate "C" not null,
    call text collate "C" not null,
    about bytea not null,
    png bytea not null,
    svg bytea not null,
    kept_at timestamptz not null default clock_timestamp(),
    primary key (account, id),
    unique (account, call)
  )`,
  "alter table artifacts alter column png set storage external",
  "create index artifacts_by_age on artifacts (kept_at)"
)
