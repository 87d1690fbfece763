import { statements } from "./statements.ts"

/**
 * Conversations, their messages, and the generations that answer them. Times are epoch ms. Texts that people, models
 * and tools wrote stand in JSON, which has a form for every one of them, also where PostgreSQL's own texts have none.
 */
export default statements(
  "create sequence conversation_ids",
  "create sequence message_ids",
  "create sequence generation_ids",
  // `running`, `question` and `answer` are the generation that runs, the last question and the answer that stands: what
  // must be known of a conversation to go on with it is in the one row that is locked for it.
  `create table conversations (
    account bigint not null,
    id bigint not null,
    title text not null,
    mode text not null,
    lang text not null,
    created_at bigint not null,
    updated_at bigint not null,
    messages integer not null,
    running bigint,
    question bigint,
    answer bigint,
    summary text,
    summary_up_to bigint,
    primary key (account, id)
  ) with (fillfactor = 80)`,
  "create index conversations_by_saying on conversations (account, updated_at, id)",
  `create table messages (
    account bigint not null,
    conversation bigint not null,
    id bigint not null,
    role text not null check (role in ('user', 'assistant', 'task')),
    created_at bigint not null,
    replaced boolean not null default false,
    identity text collate "C",
    body text not null,
    suggestions text not null,
    primary key (account, conversation, id)
  )`,
  "create unique index messages_of_reports on messages (account, conversation, identity) where identity is not null",
  // In pieces, for a row must fit a message of the protocol. They are packed already.
  `create table message_images (
    account bigint not null,
    message bigint not null,
    image integer not null,
    piece integer not null,
    media_type text not null,
    width integer not null,
    height integer not null,
    bytes bytea not null,
    primary key (account, message, image, piece)
  )`,
  "alter table message_images alter column bytes set storage external",
  // Each append changes the row, and none of what is indexed; what is long stays where it is then.
  `create table generations (
    account bigint not null,
    id bigint not null,
    conversation bigint not null,
    question bigint not null,
    state text not null check (state in ('running', 'ended', 'closed')),
    epoch integer not null,
    next_n integer not null,
    next_step integer not null,
    started_at bigint not null,
    renewed_at bigint not null,
    ended_at bigint,
    outcome text,
    answer bigint,
    origin bigint not null,
    idempotency_key text collate "C",
    logged boolean not null default true,
    brief text not null,
    reservation text not null,
    consumed text,
    primary key (account, id)
  ) with (fillfactor = 50, toast_tuple_target = 512, autovacuum_vacuum_scale_factor = 0.05)`,
  "create index generations_by_id on generations (id)",
  // One that failed or was cancelled is in nobody's way.
  `create unique index generations_by_origin on generations (account, origin)
    where state = 'running' or outcome = 'finished'`,
  "create unique index generations_running on generations (account, conversation) where state = 'running'",
  "create index generations_by_key on generations (account, idempotency_key) where idempotency_key is not null",
  "create index generations_open on generations (ended_at) where state = 'ended'",
  "create index generations_logged on generations (ended_at) where logged and ended_at is not null",
  "create index generations_ended on generations (ended_at) where ended_at is not null",
  `create table generation_steps (
    account bigint not null,
    generation bigint not null,
    name text collate "C" not null,
    place integer not null,
    content text not null,
    primary key (account, generation, name)
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  `create table generation_events (
    account bigint not null,
    generation bigint not null,
    n integer not null,
    kind text not null,
    data text not null,
    primary key (account, generation, n)
  ) with (autovacuum_vacuum_scale_factor = 0.02)`
)
