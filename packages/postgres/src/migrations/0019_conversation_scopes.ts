import { statements } from "./statements.ts"

/** Tools that read and tools that change records of an account, when this migration was written. */
const reading = [
  "get_journal_stats",
  "get_notifications",
  "get_portfolio_risk",
  "get_positions",
  "get_risk_profile",
  "get_risk_sizing",
  "get_tasks",
  "get_trade_history",
  "get_watchlist"
]
const changing = [
  "add_journal_note",
  "close_position",
  "create_task",
  "delete_position",
  "delete_task",
  "mark_notifications_read",
  "set_position",
  "set_risk_profile",
  "update_position",
  "update_task",
  "update_watchlist"
]

/** Adds a scope to each conversation that has a message of this kind. */
const addWhere = (scope: string, condition: string): string =>
  `update conversations c set scopes = array_append(c.scopes, '${scope}')
  where exists (
    select from messages m where m.account = c.account and m.conversation = c.id and (${condition})
  )`

/** In a message's body, quotes of texts are escaped, so only the field of a call matches. */
const calls = (tools: ReadonlyArray<string>): string => `m.body ~ '"name":"(${tools.join("|")})"'`

/**
 * The scopes of personal records that a conversation's answers used. A process of the version before does not store
 * them, so answers that it gives during a rolling upgrade are not marked.
 */
export default statements(
  "alter table conversations add column scopes text[] not null default '{}'",
  addWhere("read:personal", `m.role = 'task' or ${calls(reading)}`),
  addWhere("write:personal", calls(changing))
)
