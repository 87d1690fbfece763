import { assert, it } from "@effect/vitest"
import {
  type ArgumentsOf,
  EquityMarkets,
  layerEngine,
  pickTools,
  type Principal,
  type Scope,
  Toolbox,
  ToolCaller,
  tools,
  type ToolSpecification
} from "@tapeline/core"
import { ConversationStore } from "@tapeline/core/agent"
import { Ledger, SessionStore } from "@tapeline/core/engine"
import { type ScheduleTask, TaskStore } from "@tapeline/core/personal"
import {
  createTask,
  deleteTask,
  getNotifications,
  getTasks,
  markNotificationsRead,
  tasksSpecifications,
  updateTask
} from "@tapeline/core/specifications"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { fakeEquities, makeFakeMarket, now } from "../tools/fakeMarket.ts"

const writing = ["add_journal_note", "set_position", "set_risk_profile", "update_position", "update_watchlist"] as const
const toolbox = Toolbox.layer(pickTools(tools, [...tasksSpecifications.map(({ name }) => name), ...writing]))
const engine = layerEngine({ toolbox })
  .pipe(
    Layer.provideMerge(MemoryStores),
    Layer.provideMerge(Layer.suspend(() => makeFakeMarket().layer)),
    Layer.provide(Layer.succeed(EquityMarkets, fakeEquities)),
    Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
  )
const withEngine = Effect.provide(engine, { local: true })

const call = Effect.fnUntraced(function*<S extends ToolSpecification>(
  principal: Principal,
  specification: S,
  args: ArgumentsOf<S>
) {
  const caller = yield* ToolCaller
  return (yield* caller.call(specification, { principal, arguments: args })).data
})
const callTool = (principal: Principal, name: string, args: unknown, language: "en" | "ko" | "ru" = "en") =>
  Effect.flatMap(ToolCaller, (caller) => Effect.exit(caller.call({ principal, name, arguments: args, language })))

const issues = Effect.fnUntraced(function*(principal: Principal, args: object, language?: "en" | "ko" | "ru") {
  const exit = yield* callTool(principal, "create_task", { title: "t", kind: "watch", ...args }, language)
  const error = Exit.isFailure(exit)
    ? exit.cause.reasons.flatMap((one) => one._tag === "Fail" ? [one.error] : [])[0]
    : null
  return error?._tag === "InvalidArguments" ? error.issues : []
})
const failure = (principal: Principal, name: string, args: unknown) =>
  Effect.map(callTool(principal, name, args), (exit) => Exit.isSuccess(exit) ? exit.value.failure : null)

const above = { metric: "price", symbol: "btc", op: "cross_above", value: 120_000 } as const
const watch = { title: "BTC above 120k", kind: "watch", spec: above } as const

it.effect("creates, lists, pauses, changes and deletes a task with its own conversation", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { notes, task } = yield* call(principal, createTask, watch)
    assert.deepStrictEqual(notes, [])
    const time = new Date(now).toISOString()
    assert.deepStrictEqual(task, {
      id: task.id,
      title: "BTC above 120k",
      kind: "watch",
      spec: { ...above, symbol: "BTC", market: "coin" },
      prompt: null,
      status: "active",
      runs: 0,
      max_runs: 1,
      conversation_id: task.conversation_id,
      key_id: principal.actor._tag === "Key" ? principal.actor.key : null,
      next_at: null,
      held_until: null,
      watch: { armed: true, checked_to: new Date(Math.floor(now / 60_000) * 60_000).toISOString(), last_value: null },
      last: null,
      created_at: time,
      updated_at: time
    })
    const conversation = yield* (yield* ConversationStore).find(principal.account, task.conversation_id)
    assert.strictEqual(conversation?.title, "BTC above 120k")
    const schedule = yield* call(principal, createTask, {
      title: "Morning",
      kind: "schedule",
      spec: { at: "09:30", tz_offset_hours: 5.75 },
      prompt: "What matters today?"
    })
    assert.isNull(schedule.task.max_runs)
    assert.isNull(schedule.task.watch)
    assert.strictEqual(schedule.task.next_at?.slice(11), "03:45:00.000Z")
    const listed = yield* call(principal, getTasks, {})
    assert.deepStrictEqual(listed, { tasks: [schedule.task, task], total: 2, notes: [] })
    const paused = yield* call(principal, updateTask, { id: schedule.task.id, status: "paused" })
    assert.deepInclude(paused.task, { status: "paused", next_at: null })
    assert.deepStrictEqual((yield* call(principal, getTasks, { status: "paused" })).tasks, [paused.task])
    const updatedTask = yield* call(principal, updateTask, {
      id: task.id,
      title: "any coin",
      spec: { metric: "gap", symbol: "*", value: 5 },
      max_runs: 3,
      prompt: "Why?"
    })
    assert.deepInclude(updatedTask.task, {
      title: "any coin",
      spec: { metric: "gap", market: "coin", symbol: "*", value: 5 },
      max_runs: 3,
      prompt: "Why?"
    })
    assert.isNull((yield* call(principal, updateTask, { id: task.id, prompt: "" })).task.prompt)
    assert.deepStrictEqual(yield* call(principal, deleteTask, { id: task.id }), { deleted: task.id })
    assert.strictEqual((yield* failure(principal, "delete_task", { id: task.id }))?.code, "not_found")
    assert.strictEqual(
      (yield* failure(principal, "update_task", { id: schedule.task.id, spec: above }))?.code,
      "conflict"
    )
  }).pipe(withEngine))

it.effect("runs without a limit for max_runs 0, and reports held_until only while it applies", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { task } = yield* call(principal, createTask, { ...watch, max_runs: 0 })
    assert.isNull(task.max_runs)
    const bounded = yield* call(principal, updateTask, { id: task.id, max_runs: 3 })
    assert.strictEqual(bounded.task.max_runs, 3)
    assert.isNull((yield* call(principal, updateTask, { id: task.id, max_runs: 0 })).task.max_runs)
    const store = yield* TaskStore
    const storedTask = (yield* store.find(principal.account, task.id))!
    if (storedTask.kind !== "watch") return
    const { checkedTo: from } = storedTask.watch
    const next = { kind: "watch", from, watch: { ...storedTask.watch, armed: false }, cooldownMs: 300_000 } as const
    const taskFacts = { task: task.id, version: storedTask.version, missed: 0, observed: null, question: null }
    assert.isNotNull(yield* store.claim({ ...taskFacts, due: "arming:1", dueAt: from, next }))
    const readHeldUntil = () => Effect.map(call(principal, getTasks, {}), ({ tasks }) => tasks[0]!.held_until)
    assert.strictEqual(yield* readHeldUntil(), new Date(now + 300_000).toISOString())
    yield* call(principal, updateTask, { id: task.id, status: "paused" })
    assert.isNull(yield* readHeldUntil())
    yield* call(principal, updateTask, { id: task.id, status: "active" })
    assert.isNull(yield* readHeldUntil())
  }).pipe(withEngine))

it.effect("rejects a change without fields and blank text, uncharged", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { task } = yield* call(principal, createTask, watch)
    const before = yield* (yield* Ledger).balance(principal.account)
    for (
      const [name, args] of [
        ["update_task", { id: task.id }],
        ["update_task", { id: task.id, title: null, status: null }],
        ["update_position", { id: 1 }],
        ["set_risk_profile", {}],
        ["update_watchlist", {}],
        ["update_watchlist", { add: [], remove: [] }],
        ["mark_notifications_read", { ids: [] }],
        ["add_journal_note", { text: " \n\t " }],
        ["set_position", { coin: "BTC", side: "long", notes: "  " }]
      ] as const
    ) {
      const exit = yield* callTool(principal, name, args)
      const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
      assert(reason?._tag === "Fail" && reason.error._tag === "InvalidArguments", name)
    }
    assert.deepStrictEqual(yield* (yield* Ledger).balance(principal.account), before)
  }).pipe(withEngine))

it.effect("rejects an invalid spec, and lists the valid forms in the caller's language", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    assert.lengthOf(yield* issues(principal, { spec: above, prompt: " \n " }), 1)
    const [vagueIssue] = yield* issues(principal, { spec: "when it looks good" })
    assert.deepStrictEqual(vagueIssue?.path, ["spec"])
    for (const part of ["price", "score", "vwap_cross", "gap", "cross_above", "every_min", "HH:MM"]) {
      assert.include(vagueIssue?.message, part)
    }
    assert.match((yield* issues(principal, { spec: "좋아 보이면" }, "ko"))[0]!.message, /조건 알림은/u)
    assert.match((yield* issues(principal, { spec: "когда хорошо" }, "ru"))[0]!.message, /алерта/u)
    const invalidSpecs: ReadonlyArray<readonly [object, string, RegExp]> = [
      [{}, "spec", /vwap_cross/u],
      [{ condition: "when it looks good" }, "spec.condition", /known fields: metric/u],
      [{ metric: "mood", symbol: "BTC" }, "spec.metric", /"price", "vwap_cross", "gap", "score"/u],
      [{ metric: "price", symbol: "BTC", op: "gt" }, "spec", /op and value/u],
      [{ metric: "price", symbol: "BTC", value: 3 }, "spec", /op and value/u],
      [{ metric: "price", symbol: "BTC", op: "gt", value: 0 }, "spec", /above 0/u],
      [{ metric: "price", symbol: "*", op: "gt", value: 1 }, "spec", /symbol/u],
      [{ metric: "price", symbol: "BTC", op: "gt", value: 3, dir: "above" }, "spec", /nothing else/u],
      [{ metric: "score", symbol: "BTC", op: "gt", value: 101 }, "spec", /-100 to 100/u],
      [{ metric: "score", symbol: "AAPL", market: "us", op: "gt", value: 1 }, "spec", /coin/u],
      [{ metric: "vwap_cross", symbol: "BTC" }, "spec", /dir/u],
      [{ metric: "vwap_cross", symbol: "BTC", dir: "above", value: 3 }, "spec", /nothing else/u],
      [{ metric: "gap", symbol: "*" }, "spec", /percent/u],
      [{ metric: "gap", symbol: "*", market: "us", value: 3 }, "spec", /percent/u],
      [{ metric: "price", symbol: "BTC", op: "gt", value: 3, at: "09:00" }, "spec", /schedule/u],
      [{ at: "24:00" }, "spec.at", /HH:MM/u],
      [{ at: "09:00", every_min: 5 }, "spec", /schedule/u],
      [{ every_min: 4 }, "spec.every_min", /5 to 43200/u],
      [{ every_min: 60, tz_offset_hours: 9 }, "spec", /schedule/u],
      [{ at: "09:00", tz_offset_hours: 14.25 }, "spec.tz_offset_hours", /steps of 0\.25/u],
      [{ at: "09:00", tz_offset_hours: 0.1 }, "spec.tz_offset_hours", /steps of 0\.25/u],
      [{ every_min: 5 }, "spec", /for an alert/u]
    ]
    for (const [spec, path, expectedMessage] of invalidSpecs) {
      const [issue] = yield* issues(principal, { spec })
      assert.strictEqual(issue?.path.join("."), path, JSON.stringify(spec))
      assert.match(issue!.message, expectedMessage, JSON.stringify(spec))
    }
    assert.strictEqual((yield* issues(principal, { kind: "schedule", spec: above }))[0]?.path.join("."), "spec")
    assert.deepStrictEqual((yield* call(principal, getTasks, {})).tasks, [])
  }).pipe(withEngine))

it.effect("normalises a symbol to its market's form, and suggests candidates for an unknown one", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const specOf = (spec: ArgumentsOf<typeof createTask>["spec"]) =>
      Effect.map(call(principal, createTask, { title: "t", kind: "watch", spec }), ({ notes, task }) => ({
        market: "market" in task.spec ? task.spec.market : null,
        symbol: "symbol" in task.spec ? task.spec.symbol : null,
        notes: notes.length
      }))
    const level = { metric: "price", op: "gt", value: 1 } as const
    assert.deepStrictEqual(yield* specOf({ ...level, symbol: " eth " }), { market: "coin", symbol: "ETH", notes: 0 })
    assert.deepStrictEqual(yield* specOf({ ...level, symbol: "Bitcoin" }), { market: "coin", symbol: "BTC", notes: 1 })
    assert.deepStrictEqual(yield* specOf({ ...level, symbol: "aapl" }), { market: "us", symbol: "AAPL", notes: 0 })
    assert.deepStrictEqual(yield* specOf({ ...level, symbol: "005930" }), { market: "kr", symbol: "005930", notes: 0 })
    const inKorea = { ...level, symbol: "삼성전자", market: "kr" } as const
    assert.deepStrictEqual(yield* specOf(inKorea), { market: "kr", symbol: "005930", notes: 1 })
    const createWatch = (spec: object) => failure(principal, "create_task", { title: "t", kind: "watch", spec })
    assert.deepInclude(yield* createWatch({ ...level, symbol: "NOSUCH" }), { code: "unknown_symbol", retryable: false })
    const symbolIssues = yield* createWatch({ ...level, symbol: "BITC" })
    assert.strictEqual(symbolIssues?.code, "unknown_symbol")
    assert.deepStrictEqual(symbolIssues?.candidates?.map(({ symbol }) => symbol), ["BTC"])
    const scored = { metric: "score", op: "gt", value: 1 }
    const stock = yield* createWatch({ ...scored, symbol: "AAPL" })
    assert.strictEqual(stock?.code, "unknown_symbol")
    assert.match(stock!.message, /AAPL.* is a stock, and an alert on score needs a coin/u)
    assert.notMatch((yield* createWatch({ ...scored, symbol: "NOSUCH" }))!.message, /stock/u)
    assert.deepStrictEqual(yield* specOf({ ...level, symbol: "$btc" }), { market: "coin", symbol: "BTC", notes: 0 })
    assert.strictEqual((yield* createWatch({ ...level, symbol: "AAPL", market: "coin" }))?.code, "unknown_symbol")
    assert.strictEqual((yield* createWatch({ ...level, symbol: "AAPL", market: "kr" }))?.code, "no_data")
  }).pipe(withEngine))

it.effect("requires agent:chat for tasks with a question, and the personal scopes for all tasks", () =>
  Effect.gen(function*() {
    const { account, principal: fullPrincipal } = yield* createKeyedAccount()
    const withScopes = (...scopes: ReadonlyArray<Scope>): Principal => ({ ...fullPrincipal, scopes })
    const failureOf = (principal: Principal, name: string, args: object) =>
      Effect.map(callTool(principal, name, args), (exit) => {
        const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
        return reason?._tag === "Fail" && reason.error._tag === "ScopeRequired" ? reason.error.required_scope : null
      })
    const writer = withScopes("read:personal", "write:personal")
    const schedule = { title: "t", kind: "schedule", spec: { every_min: 60 } } as const
    assert.strictEqual(yield* failureOf(writer, "create_task", { ...watch, prompt: "Why?" }), "agent:chat")
    assert.strictEqual(yield* failureOf(writer, "create_task", schedule), "agent:chat")
    assert.isNull(yield* failureOf(writer, "create_task", watch))
    const { task } = yield* call(fullPrincipal, createTask, schedule)
    assert.strictEqual(yield* failureOf(writer, "update_task", { id: task.id, prompt: "Why?" }), "agent:chat")
    assert.strictEqual(yield* failureOf(writer, "update_task", { id: task.id, spec: { every_min: 5 } }), "agent:chat")
    // The change keeps the prompt, but the task would get the scopes of this key, which lacks `agent:chat`.
    assert.deepInclude(yield* failure(writer, "update_task", { id: task.id, title: "other" }), { code: "conflict" })
    assert.isNull(yield* failure(writer, "update_task", { id: task.id, status: "paused" }))
    assert.strictEqual((yield* failure(writer, "update_task", { id: task.id, status: "active" }))?.code, "conflict")
    const reader = withScopes("read:market", "read:personal", "agent:chat")
    for (const { example, name, scope } of tasksSpecifications) {
      if (scope === "write:personal") assert.strictEqual(yield* failureOf(reader, name, example), "write:personal")
      else assert.strictEqual(yield* failureOf(withScopes("write:personal"), name, example), "read:personal")
    }
    const other = yield* createKeyedAccount()
    assert.notStrictEqual(other.account.id, account.id)
    assert.deepStrictEqual((yield* call(other.principal, getTasks, {})).tasks, [])
    for (const [name, args] of [["update_task", { title: "mine" }], ["delete_task", {}]] as const) {
      assert.strictEqual((yield* failure(other.principal, name, { id: task.id, ...args }))?.code, "not_found")
    }
  }).pipe(withEngine))

it.effect("lists notifications newest first, and marks each as read once", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { task } = yield* call(principal, createTask, {
      title: "hourly",
      kind: "schedule",
      spec: { every_min: 60 },
      prompt: "?".repeat(500)
    })
    const listed = yield* call(principal, getTasks, {})
    assert.strictEqual(listed.tasks[0]!.prompt, `${"?".repeat(200)}...`)
    assert.strictEqual(listed.notes.length, 1)
    const store = yield* TaskStore
    for (let n = 1; n <= 3; n++) {
      const waiting = (yield* store.find(principal.account, task.id)) as ScheduleTask // created as a schedule before
      yield* TestClock.setTime(waiting.nextAt)
      const firing = yield* store.claim({
        task: task.id,
        version: waiting.version,
        due: `at:${waiting.nextAt}`,
        dueAt: waiting.nextAt,
        missed: 0,
        observed: null,
        question: "?",
        next: { kind: "schedule", from: waiting.nextAt, nextAt: waiting.nextAt + 3_600_000 }
      })
      yield* store.end({ firing: firing!.id, epoch: 1 }, {
        outcome: "reported",
        report: null,
        notification: { kind: "task_fired", title: "hourly", body: `it is ${n}` },
        returnRun: null,
        pauseTask: null
      })
    }
    const { notifications, unread } = yield* call(principal, getNotifications, {})
    assert.strictEqual(unread, 3)
    assert.deepStrictEqual(notifications.map(({ body, id }) => [id, body]), [[3, "it is 3"], [2, "it is 2"], [
      1,
      "it is 1"
    ]])
    assert.deepInclude(notifications[0], {
      kind: "task_fired",
      title: "hourly",
      task_id: task.id,
      conversation_id: task.conversation_id,
      read: false
    })
    assert.deepStrictEqual(yield* call(principal, markNotificationsRead, { ids: [3, 9] }), { marked: 1 })
    assert.deepStrictEqual(yield* call(principal, markNotificationsRead, {}), { marked: 2 })
    assert.deepStrictEqual(yield* call(principal, getNotifications, { unread_only: true }), {
      notifications: [],
      unread: 0
    })
    assert.deepInclude((yield* call(principal, getTasks, {})).tasks[0]!.last, { outcome: "reported" })
    assert.strictEqual((yield* call(principal, getTasks, {})).tasks[0]!.runs, 3)
  }).pipe(withEngine))

it.effect("rejects task writes of an ended session, uncharged", () =>
  Effect.gen(function*() {
    const { principal: { account, plan }, principal } = yield* createKeyedAccount()
    const sessions = yield* SessionStore
    const opening = { hash: "a".repeat(64), device: "test", idleMs: 60_000, maxLifetimeMs: 60_000, replacedHash: null }
    const { id } = yield* sessions.open(account, "openid", opening, null)
    const user: Principal = { account, plan, scopes: principal.scopes, actor: { _tag: "Session", session: id } }
    const { task } = yield* call(user, createTask, watch)
    assert.isNull(task.key_id)
    yield* sessions.end({ account, id }, "signed_out", null)
    const usedCredits = (yield* (yield* Ledger).balance(account))?.used
    for (const [name, args] of [["create_task", watch], ["update_task", { id: task.id, title: "mine" }]] as const) {
      assert.deepInclude(yield* failure(user, name, args), { code: "conflict", retryable: false }, name)
    }
    assert.strictEqual((yield* (yield* Ledger).balance(account))?.used, usedCredits)
  }).pipe(withEngine))
