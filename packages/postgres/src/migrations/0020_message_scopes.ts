import { statements } from "./statements.ts"

/** Tools that read and tools that change records of an account, when migration 0019 was written. */
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

/**
 * Matches a successful call, because a rejected call shows no record. In a message's body, quotes of texts are escaped,
 * so only the fields of a call match.
 */
const succeeded = (tools: ReadonlyArray<string>): string => `new.body ~ '"name":"(${tools.join("|")})","ok":true'`

/**
 * Processes of this version store the scopes of a message themselves, and set `scopes_stored`. The trigger adds scopes
 * only for messages of earlier versions. Before, a rejected call hid a conversation from the key that asked.
 */
export default statements(
  "alter table messages add column scopes_stored boolean not null default false",
  "drop trigger messages_mark_conversations on messages",
  "drop function mark_conversation()",
  `create function mark_conversation_2() returns trigger language plpgsql as $$
  begin
    update conversations c set scopes = c.scopes || array(
      select s.scope from (values
        ('read:personal', new.role = 'task' or ${succeeded(reading)}),
        ('write:personal', ${succeeded(changing)})
      ) s (scope, is_used) where s.is_used and s.scope <> all(c.scopes)
    )
    where c.account = new.account and c.id = new.conversation;
    return null;
  end
$$`,
  `create trigger messages_mark_conversations after insert on messages
    for each row when (not new.scopes_stored and (new.role = 'task' or ${succeeded([...reading, ...changing])}))
    execute function mark_conversation_2()`
)
