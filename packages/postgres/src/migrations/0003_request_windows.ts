import { statements } from "./statements.ts"

/**
 * Windows of requests. Not logged: what a crash of the database loses is a minute's count. `asked`, `most` and `admitted`
 * are of the statement that wrote the row last.
 */
export default statements(
  `create unlogged table request_windows (
    account bigint primary key,
    ends_at timestamptz not null,
    taken integer not null,
    admitted integer not null,
    asked integer not null,
    most integer not null
  ) with (fillfactor = 50)`
)
