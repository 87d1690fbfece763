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

/** In a message's body, quotes of texts are escaped, so only the field of a call matches. */
const calls = (message: string, tools: ReadonlyArray<string>): string =>
  `${message}.body ~ '"name":"(${tools.join("|")})"'`

/** The scopes that a message shows, as rows. */
const scopesOf = (message: string): string =>
  `(select s.scope from (values
    ('read:personal', ${message}.role = 'task' or ${calls(message, reading)}),
    ('write:personal', ${calls(message, changing)})
  ) s (scope, is_used) where s.is_used)`

const collect = (condition: string): string =>
  `insert into used_scopes select m.account, m.conversation, s.scope
  from messages m cross join lateral ${scopesOf("m")} s where ${condition}`

/**
 * The scopes of personal records that a conversation's answers used. The messages are read before anything is locked,
 * and those that came meanwhile afterwards. The trigger marks conversations in which a process of the version before
 * writes.
 */
export default statements(
  "create table used_scopes (account bigint not null, conversation bigint not null, scope text not null)",
  "create table scanned_messages as select coalesce(max(id), 0) as last from messages",
  collect("true"),
  // Conversations of tasks are named after the task.
  `insert into used_scopes select account, conversation, 'read:personal' from tasks
    union select account, conversation, 'read:personal' from task_firings
    union select account, conversation, 'read:personal' from notifications where conversation is not null`,
  "alter table conversations add column scopes text[] not null default '{}'",
  // Ids are not committed in their order.
  collect("m.id > (select last from scanned_messages) - 10000"),
  `update conversations c set scopes = u.scopes
    from (
      select account, conversation, array_agg(distinct scope order by scope) as scopes
      from used_scopes group by account, conversation
    ) u
    where c.account = u.account and c.id = u.conversation`,
  "drop table used_scopes, scanned_messages",
  `create function mark_conversation() returns trigger language plpgsql as $$
  begin
    update conversations c set scopes = c.scopes || array(
      select s.scope from ${scopesOf("new")} s where s.scope <> all(c.scopes)
    )
    where c.account = new.account and c.id = new.conversation;
    return null;
  end
$$`,
  `create trigger messages_mark_conversations after insert on messages
    for each row when (new.role = 'task' or ${calls("new", [...reading, ...changing])})
    execute function mark_conversation()`
)
