import { statements } from "./statements.ts"

/**
 * Proposed calls of answers. `body` is JSON: the tool, the arguments, the summary, its language and the version of the
 * record. `attempt` counts the claims, `accepted_at` is the time of the first claim since the proposal was open, and
 * `result` is JSON. The foreign key also deletes the proposals of a conversation that a process of an earlier version
 * deletes.
 */
export default statements(
  `create table proposals (
    account bigint not null,
    generation bigint not null,
    call text collate "C" not null,
    conversation bigint not null,
    message bigint not null,
    state text not null check (
      state in ('open', 'accepting', 'accepted', 'failed', 'dismissed', 'expired', 'superseded')
    ),
    created_at bigint not null,
    expires_at bigint not null,
    attempt integer not null default 0,
    accepted_at bigint,
    report bigint,
    body text not null,
    result text,
    primary key (account, generation, call),
    foreign key (account, conversation) references conversations (account, id) on delete cascade
  )`,
  "create index proposals_by_message on proposals (account, conversation, message)"
)
