import { PgClient } from "@effect/sql-pg"
import { assert, layer as withLayer } from "@effect/vitest"
import {
  Authenticator,
  implement,
  layerEngine,
  Ledger,
  LedgerStore,
  RequestRateLimiter,
  specify,
  Toolbox,
  ToolCaller,
  ToolFailure
} from "@tapeline/core"
import { ConversationStore, GenerationStore } from "@tapeline/core/agent"
import { withDefault } from "@tapeline/core/engine"
import { decimal, type JournalChange, JournalStore } from "@tapeline/core/personal"
import { createKeyedAccount } from "@tapeline/testing"
import {
  answerQuestion,
  deltaEvent,
  getFence,
  makeStep,
  questionMessage,
  reportMessage,
  startNewGeneration,
  takeGeneration
} from "@tapeline/testing/agent/fixtures"
import * as task from "@tapeline/testing/tasks/fixtures"
import { Effect, Exit, Layer, Schema, Scope } from "effect"
import { findAccountBreaches, findSharedResources } from "./support/accountRule.ts"
import { makeFreshPglite, withStores } from "./support/databases.ts"
import { findTablesWrittenByFunctions, findTouchedTables } from "./support/writtenTables.ts"

const tool = implement(
  specify({
    name: "count",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "Counts, unless `fails` is true.",
    parameters: Schema.Struct({ fails: withDefault(Schema.Boolean, false) }),
    result: Schema.Struct({ count: Schema.Int }),
    example: {}
  }),
  Effect.succeed(({ fails }) =>
    fails
      ? Effect.fail(new ToolFailure({ code: "no_data", callerMessage: "nothing", retryable: false }))
      : Effect.succeed({ count: 1 })
  )
)

const enrolled = Effect.gen(function*() {
  const [first, second] = [yield* createKeyedAccount(), yield* createKeyedAccount()]
  return { first, second }
})

/**
 * Makes a call of each kind, from the creation of the key to the settlement, and runs the background work that follows.
 */
const calls = ({ first, second }: Effect.Success<typeof enrolled>) =>
  Effect.gen(function*() {
    const [authenticator, ceiling, caller] = yield* Effect.all([Authenticator, RequestRateLimiter, ToolCaller])
    const [ledger, store] = yield* Effect.all([Ledger, LedgerStore])
    for (const { key } of [first, second]) {
      const principal = yield* authenticator.authenticate(key)
      yield* ceiling.admit(principal)
      const call = { principal, name: "count" }
      yield* caller.call({ ...call, arguments: {} })
      yield* caller.call({ ...call, arguments: { fails: true } })
      yield* caller.call({ ...call, arguments: {}, idempotencyKey: "a" })
      assert.isTrue((yield* caller.call({ ...call, arguments: {}, idempotencyKey: "a" })).replayed)
    }
    const answer = {
      account: first.principal.account,
      actor: first.principal.actor,
      tool: "agent.answer",
      credits: 1,
      ttlMs: 1_000,
      idempotency: { key: "b", fingerprint: "f", retentionMs: 1_000 },
      quota: { max: 5 }
    }
    const admission = yield* ledger.reserve(answer)
    assert(admission._tag === "Admitted")
    yield* ledger.renew(admission.reservation, 2_000)
    yield* store.expire(10, { at: (yield* store.time) + 3_600_000 })
  })

const answers = Effect.fnUntraced(function*({ first }: Effect.Success<typeof enrolled>) {
  const { account } = first.principal
  const [generations, conversations] = yield* Effect.all([GenerationStore, ConversationStore])
  const generation = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
  yield* generations.storeSteps(getFence(generation), [makeStep("step:1")], [deltaEvent("a")])
  const image = { mediaType: "image/png", width: 1, height: 1, bytes: Uint8Array.of(1) } as const
  const { conversation, id } = yield* answerQuestion(account, { question: questionMessage("why?", [image]) }, {
    isOpen: true
  })
  yield* generations.close(id, ["and?"])
  yield* conversations.addReport(account, conversation, "task:1", reportMessage("fired"))
  yield* conversations.storeSummary(account, conversation, { upTo: 1, text: "so far" })
})

const journals = Effect.fnUntraced(function*({ first }: Effect.Success<typeof enrolled>) {
  const { account, actor } = first.principal
  const journal = yield* JournalStore
  const write = (change: JournalChange, call: string) => journal.write(account, call, change, actor)
  const open = { _tag: "Open", coin: "BTC", side: "long", fields: {} } as const
  const opened = yield* write(open, "1")
  yield* write(open, "1")
  assert(opened._tag === "Position")
  const { id } = opened.position
  yield* write({ _tag: "Update", id, fields: { notes: "a" } }, "2")
  const parts = { exit: decimal(1), fraction: decimal(0.5), feesUsd: decimal(0), notes: null }
  yield* write({ _tag: "Close", id, ...parts }, "3")
  yield* write({ _tag: "Delete", id }, "4")
  yield* write({ _tag: "AddNote", text: "a", tradeId: null, coin: null }, "5")
  yield* write({ _tag: "SetProfile", profile: { riskPct: decimal(1) } }, "6")
  yield* write({ _tag: "Watch", add: ["BTC"], remove: [] }, "7")
  yield* write(open, "8")
})

const tasks = Effect.fnUntraced(function*({ first }: Effect.Success<typeof enrolled>) {
  const { account, actor } = first.principal
  const [{ id }, deletedTask] = [yield* task.createTask(account), yield* task.createTask(account)]
  yield* task.updateTask(account, id, { trigger: task.makePriceCondition(7) })
  const watch = yield* task.findWatch(account, id)
  const { checkedTo: previousCheckedTo } = watch.watch
  const checkedWatch = { ...watch.watch, checkedTo: previousCheckedTo + 60_000 }
  yield* task.useTaskStore((store) =>
    store.storeWatchStates([{ task: id, version: watch.version, previousCheckedTo, watch: checkedWatch }])
  )
  const firing = yield* task.fireTask(yield* task.findWatch(account, id))
  yield* task.useTaskStore((store) => store.recordGeneration(task.getFence(firing), 1))
  yield* task.useTaskStore((store) => store.assignNewConversation(task.getFence(firing)))
  yield* task.endFiring(task.getFence(firing))
  yield* task.useNotificationStore((store) => store.markRead(account, "1", null, actor))
  yield* task.removeTask(account, deletedTask.id)
})

/** The tables to which calls write after the start of the engine, including writes while the engine stops. */
const hotTables = Effect.gen(function*() {
  const scope = yield* Scope.make()
  // A sweep and not a call writes the log of events, and no sweep runs during this test.
  const events = { publishIntervalMs: 3_600_000 }
  const engine = yield* Layer.buildWithScope(
    Layer.fresh(layerEngine({ toolbox: Toolbox.layer([tool]), events })),
    scope
  )
  const accounts = yield* Effect.provideContext(enrolled, engine)
  const makeTraffic = Effect.andThen(
    Effect.provideContext(
      Effect.all([calls(accounts), answers(accounts), journals(accounts), tasks(accounts)]),
      engine
    ),
    Scope.close(scope, Exit.void)
  )
  return [...new Set([...yield* findTouchedTables(makeTraffic), ...yield* findTablesWrittenByFunctions])].sort()
})

const key = "a key is looked up by its hash before its account is known; `last_used_at` is written once in ten seconds"
const directory = "accounts, keys and plans are small, read by all calls and written by the admin API"

/** The objects of hot tables that several accounts share, with the reason why each object is acceptable. */
const exceptions: Readonly<Record<string, string>> = {
  "accounts: accounts_changed notifies": "only when an account's plan changes",
  "accounts: accounts_external_id (external_id) spans accounts": "only operators write and read external ids",
  "accounts: accounts_status_changed notifies": "only when an operator changes an account's status",
  "accounts: id is drawn from one sequence": "only when an account is created; the id is the account",
  "keys: id is drawn from one sequence": "only when a key is issued",
  "keys: keys_changed notifies": "only when a key's scopes, expiry or revocation change",
  "keys: keys_hash_key (hash) spans accounts": key,
  "keys: keys_limits_changed notifies": "only when the limits of a key change",
  "keys: keys_pkey (id) spans accounts": directory
}

/** The locks, sequences and notifications that several accounts share, with the reason for each. */
const shared: Readonly<Record<string, string>> = {
  "credit_adjust: lock table plans in row share mode": "an administrator's change of one account",
  "credit_change_plan_2: lock table plans in row share mode": "an administrator's change of one account",
  "credit_define_plans_2: lock table plans in exclusive mode": "the start of a process whose plans changed",
  "credit_drop_month: lock table only credit_reservations in access exclusive mode":
    "housekeeping once a month; gives up after 100 ms",
  "credit_drop_month: lock table only %I, only credit_reservations_default in access exclusive mode":
    "the same for an old month, without a wait",
  "credit_drop_month: pg_try_advisory_xact_lock": "one of several housekeepers runs; the others skip",
  "credit_expire_2: pg_try_advisory_xact_lock": "one of several sweepers runs; the others skip",
  "credit_lay_plan: lock table plans in row share mode": "the start of a process whose plans changed",
  "credit_make_room: pg_try_advisory_xact_lock": "one of several housekeepers runs; the others skip",
  "credit_open_months_2: lock table plans in row share mode":
    "an account's first call of a month; shared, and blocked only by a change of plans",
  "credit_reserve_3: nextval('credit_reservation_ids')":
    "the lock ends with the draw of 64 ids for a session; no key consists only of this id",
  "order_events: pg_advisory_xact_lock": "administrative changes and events, never a call",
  "tell_access_changed: pg_notify":
    "only when an account's plan or status, or a key's scopes, expiry or revocation change",
  "tell_session_changed: pg_notify": "only when a session is ended",
  "tell_text_changed: pg_notify": "only when another text opens a session, at most once in 15 minutes"
}

const run = (text: string) => Effect.flatMap(PgClient.PgClient, (sql) => Effect.asVoid(sql.unsafe(text)))

withLayer(withStores(makeFreshPglite()), { excludeTestServices: true, timeout: 60_000 })(
  "the account rule",
  (it) => {
    it.effect("finds no key, lock or constraint of a hot table that spans accounts, except known ones", () =>
      Effect.gen(function*() {
        const writtenTables = yield* hotTables
        for (
          const table of ["credit_months", "credit_reservations", "credit_idempotency", "credit_usage_days", "keys"]
        ) {
          assert.include(writtenTables, table)
        }
        assert.include(writtenTables, "request_windows")
        for (const table of ["conversations", "messages", "message_images", "generation_steps", "generation_events"]) {
          assert.include(writtenTables, table)
        }
        assert.include(writtenTables, "generations")
        for (const table of ["journals", "journal_positions", "journal_trades", "journal_notes", "journal_writes"]) {
          assert.include(writtenTables, table)
        }
        for (const table of ["tasks", "task_accounts", "task_watches", "task_firings", "task_writes"]) {
          assert.include(writtenTables, table)
        }
        for (const table of ["notifications", "notification_marks"]) assert.include(writtenTables, table)
        assert.deepStrictEqual(yield* findAccountBreaches(writtenTables), Object.keys(exceptions))
        assert.deepStrictEqual(yield* findSharedResources, Object.keys(shared).sort())
      }))

    it.effect("detects a new table that calls write, and its objects that span accounts", () =>
      Effect.gen(function*() {
        const before = yield* hotTables
        // No function names the table `call_notes`, because a trigger writes to it.
        yield* run(`create table call_notes (
        id bigint generated always as identity primary key, note text unique, reservation bigint,
        at int4range, exclude using gist (at with &&)
      )`)
        yield* run(`create table call_marks (
        month integer not null, account bigint not null, note bigint references call_notes (id),
        primary key (month, account)
      )`)
        yield* run("create table call_never (id bigint)")
        yield* run(`create function note_call() returns trigger language plpgsql as $$
        begin
          perform pg_advisory_xact_lock(1);
          LOCK call_notes;
          if new.id < 0 then /* hot comesNever */ INSERT INTO public.call_never values (1); end if;
          insert into call_notes (note) values (new.account || '/' || new.id) on conflict do nothing;
          insert into call_marks (month, account) values (new.month, new.account) on conflict do nothing;
          perform pg_notify('calls', '');
          return null;
        end
      $$`)
        yield* run("create trigger calls after insert on credit_reservations for each row execute function note_call()")
        const writtenTables = yield* hotTables
        assert.deepStrictEqual(writtenTables.filter((table) => !before.includes(table)), [
          "call_marks",
          "call_never",
          "call_notes"
        ])
        assert.deepStrictEqual(
          (yield* findAccountBreaches(writtenTables)).filter((line) => exceptions[line] === undefined),
          [
            "call_marks: call_marks_note_fkey refers to call_notes (id) across accounts",
            "call_marks: call_marks_pkey (month, account) does not begin with the account and the month",
            "call_never: no account (bigint not null)",
            "call_notes: call_notes_at_excl (at) spans accounts",
            "call_notes: call_notes_note_key (note) spans accounts",
            "call_notes: call_notes_pkey (id) spans accounts",
            "call_notes: id is drawn from one sequence",
            "call_notes: no account (bigint not null)",
            "credit_reservations: calls notifies"
          ]
        )
        assert.deepStrictEqual((yield* findSharedResources).filter((line) => shared[line] === undefined), [
          "note_call: LOCK call_notes",
          "note_call: pg_advisory_xact_lock",
          "note_call: pg_notify"
        ])
      }))
  }
)
