import { statements } from "./statements.ts"

/** Windows of requests. Not logged: what a crash of the database loses is a minute's count. */
export default statements(
  `create unlogged table request_windows (
    account bigint primary key,
    ends_at timestamptz not null,
    taken integer not null,
    allowed boolean not null
  ) with (fillfactor = 50)`
)
