import { statements } from "./statements.ts"

/** Events that other transactions queue, thresholds of monthly credits that accounts have reached, and webhooks. */
export default statements(
  // Calls queue events here without the lock that orders the ids of events. A sweep moves them to `events`. `subject`
  // is the id of a generation or of a firing. `after` is a JSON object.
  `create table queued_events (
    account bigint not null,
    type text not null,
    subject bigint not null,
    time bigint not null,
    target text not null,
    after text not null,
    primary key (account, type, subject)
  )`,
  // The error's message may contain \u0000, which the JSON functions of the database reject. Quotes within texts are
  // escaped, so only the field matches.
  `create function queue_failed_answer() returns trigger language plpgsql as $$
  begin
    insert into queued_events (account, type, subject, time, target, after)
    values (new.account, 'answer.failed', new.id, new.ended_at, 'answer ' || new.id, json_build_object(
      'conversation', new.conversation,
      'code', (
        select substring(e.data from '"error":\\{"code":"([a-z_]+)"') from generation_events e
        where e.account = new.account and e.generation = new.id and e.kind = 'done' order by e.n desc limit 1
      )
    )::text);
    return null;
  end
$$`,
  `create trigger generations_failed after update of outcome on generations
    for each row when (new.outcome = 'failed' and old.outcome is null) execute function queue_failed_answer()`,
  `create function queue_firing() returns trigger language plpgsql as $$
  begin
    insert into queued_events (account, type, subject, time, target, after)
    values (new.account, 'task.fired', new.id, new.claimed_at, 'task ' || new.task, json_build_object(
      'firing', new.id,
      'conversation', new.conversation
    )::text);
    return null;
  end
$$`,
  `create trigger task_firings_queued after insert on task_firings for each row execute function queue_firing()`,
  // The thresholds of monthly credits, in percent, of which an event was recorded.
  `create table credit_thresholds (
    account bigint not null,
    month integer not null,
    threshold integer not null,
    primary key (account, month, threshold)
  )`,
  "create index credit_months_month on credit_months (month)"
)
