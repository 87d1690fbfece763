import { assert, it } from "@effect/vitest"
import { Administration, Ledger } from "@tapeline/core"
import { Analyst, AnswerBounds } from "@tapeline/core/agent"
import { type Task, TaskStore } from "@tapeline/core/personal"
import { createKeyedAccount } from "@tapeline/testing"
import { endPart, ScriptedModel, textPart, waitForCue } from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { makeAgentEngine } from "../agent/agentEngine.ts"
import { now } from "../tools/fakeMarket.ts"
import {
  advanceClock,
  advanceUntilSettled,
  CrashSimulator,
  createTestTask,
  deadlyPoints,
  makeAnsweringModel,
  makePriceWatch,
  makeStores,
  plans,
  readReports,
  startNode,
  TestMarket
} from "./testNodes.ts"

const minuteMs = 60_000
const begin = Math.floor(now / minuteMs) * minuteMs

type Owner = Effect.Success<ReturnType<typeof createKeyedAccount>>
type Services = Layer.Success<ReturnType<typeof makeStores>> | Layer.Success<ReturnType<typeof makeAgentEngine>>

interface TaskFixture {
  readonly deaths: CrashSimulator
  readonly market: TestMarket
  readonly owner: Owner
  readonly account: number
  readonly key: number
}

/** Runs a test with its own stores, an account with a key, and an engine that runs no tasks. */
const within = (
  test: (fixture: TaskFixture) => Effect.Effect<void, unknown, Services>,
  { bounds, model = makeAnsweringModel(), ...options }: {
    readonly plan?: string
    readonly model?: ScriptedModel
    readonly bounds?: Layer.Layer<never>
  } = {}
) => {
  const deaths = new CrashSimulator()
  const market = new TestMarket()
  const engine = makeAgentEngine(model, { plans, ...(bounds === undefined ? {} : { bounds }) }).pipe(
    Layer.provideMerge(makeStores(deaths)),
    Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
  )
  return Effect.gen(function*() {
    const owner = yield* createKeyedAccount(options)
    yield* test({ deaths, market, owner, account: owner.account.id, key: owner.record.id })
  }).pipe(Effect.provide(engine, { local: true }))
}

const taskOf = ({ account }: TaskFixture, { id }: Task) => Effect.flatMap(TaskStore, (tasks) => tasks.find(account, id))

const every = (every_min: number) => ({ kind: "schedule", spec: { every_min } }) as const

const raisePrice = (market: TestMarket) => {
  market.priceAt = (_, end) => end < begin + 4 * minuteMs ? 100 : 120
}

it.effect("fires a watch once, and reports it in its conversation and as a notification", () =>
  within((fixture) =>
    Effect.gen(function*() {
      const { account, market } = fixture
      const task = yield* createTestTask(fixture, makePriceWatch("cross_above", 110), { title: "BTC above 110" })
      raisePrice(market)
      yield* startNode("a", market)
      yield* advanceClock(6 * minuteMs)
      const { notifications, messages } = yield* readReports(account)
      assert.strictEqual(notifications.length, 1, JSON.stringify(notifications))
      const time = new Date(begin + 4 * minuteMs).toISOString().slice(11, 16)
      const body = `BTC: price 120 at 2026-06-19 ${time} UTC, crossed above 110.`
      assert.deepInclude(notifications[0], {
        kind: "task_fired",
        title: "BTC above 110",
        body,
        task: task.id,
        read: false
      })
      assert.deepStrictEqual(messages, [[task.conversation, "task", `BTC above 110\n\n${body}`]])
      const after = yield* taskOf(fixture, task)
      assert.deepInclude(after, { status: "done", runs: 1 })
      assert.deepInclude(after!.last, { outcome: "reported", dueAt: begin + 4 * minuteMs })
      assert.isBelow(after!.last!.lateByMs, 10_000)
    })
  ))

it.effect("fires once for times missed while no process ran, and reports the delay", () =>
  within((fixture) =>
    Effect.gen(function*() {
      const { account, market } = fixture
      const watch = yield* createTestTask(fixture, makePriceWatch("gt", 110), { maxRuns: null })
      const hourly = yield* createTestTask(fixture, every(60), { maxRuns: null, title: "What now?" })
      market.priceAt = (_, end) => Math.floor((end - begin) / (10 * minuteMs)) % 2 === 1 ? 120 : 100
      const dueAt = hourly.kind === "schedule" ? hourly.nextAt : 0
      yield* TestClock.setTime(now + 5 * 3_600_000 + 15 * minuteMs)
      yield* startNode("a", market, { sweepIntervalMs: 30_000 })
      yield* advanceClock(minuteMs)
      const { notifications } = yield* readReports(account)
      const [watchNotification, other] = [watch, hourly].map(({ id }) =>
        notifications.filter(({ task }) => task === id)
      )
      assert.strictEqual(watchNotification!.length, 1)
      assert.match(
        watchNotification![0]!.body,
        /Detected 30\d min late\. Until then it would have fired 15 more times\./u
      )
      assert.strictEqual(other!.length, 1)
      assert.match(other![0]!.body, /^Detected 15 min late\. Until then it would have fired 4 more times\. Because/u)
      assert.deepInclude((yield* taskOf(fixture, hourly))!.last, { dueAt: dueAt + 4 * 3_600_000 })
      // While the watch is evaluated every minute, each change from false to true causes one firing.
      yield* advanceClock(40 * minuteMs, { stepMs: 30_000 })
      assert.strictEqual((yield* readReports(account)).notifications.filter(({ task }) => task === watch.id).length, 3)
    })
  ))

it.effect("sends a task's question to the analyst, charges the answer, and reports it", () =>
  within((fixture) =>
    Effect.gen(function*() {
      const { account, market } = fixture
      const watch = yield* createTestTask(fixture, makePriceWatch("gt", 110), {
        prompt: "What is behind it?",
        title: "rise"
      })
      const schedule = yield* createTestTask(fixture, every(5), { title: "How is the market?" })
      raisePrice(market)
      const model = makeAnsweringModel()
      yield* startNode("a", market, { model })
      yield* advanceClock(6 * minuteMs)
      yield* advanceUntilSettled
      const { notifications, messages } = yield* readReports(account)
      const time = new Date(begin + 4 * minuteMs).toISOString().slice(11, 16)
      const expectedBody = `BTC: price 120 at 2026-06-19 ${time} UTC, above 110.`
      assert.deepStrictEqual(messages.filter(([id]) => id === watch.conversation).map(([, ...rest]) => rest), [
        ["user", `What is behind it?\n\n(The alert "rise" fired. ${expectedBody})`],
        ["assistant", "Because it did."]
      ])
      assert.deepStrictEqual(messages.filter(([id]) => id === schedule.conversation).map(([, ...rest]) => rest), [
        ["user", "How is the market?"],
        ["assistant", "Because it did."]
      ])
      const bodyOf = ({ id }: Task) => notifications.find(({ task }) => task === id)?.body
      assert.strictEqual(bodyOf(watch), `${expectedBody} Because it did.`)
      assert.strictEqual(bodyOf(schedule), "Because it did.")
      const books = yield* (yield* Ledger).balance(account)
      assert.deepInclude(books, { used: 40, reserved: 0 })
      const outcomes = yield* Effect.forEach(
        [watch, schedule],
        (task) => Effect.map(taskOf(fixture, task), (after) => after?.last?.outcome)
      )
      assert.deepStrictEqual(outcomes, ["answered", "answered"])
      // The model gets no tools that write while it answers a task's question.
      for (const { purpose, tools } of model.requests) {
        if (purpose === "answer") assert.isFalse(tools.some(({ name }) => name === "write_it"))
      }
    })
  ))

it.effect.each(deadlyPoints)(
  "fires, charges and reports each task once if a process dies at %s and another takes over",
  (point) =>
    within((fixture) =>
      Effect.gen(function*() {
        const { account, deaths, market, owner: { principal } } = fixture
        const watch = yield* createTestTask(fixture, makePriceWatch("gt", 110), { title: "plain" })
        const taskWithPrompt = yield* createTestTask(fixture, makePriceWatch("gt", 110), {
          title: "asking",
          prompt: "Why?"
        })
        const schedule = yield* createTestTask(fixture, every(5), { title: "Well?" })
        const left = yield* createTestTask(fixture, makePriceWatch("gt", 50), { title: "left" })
        raisePrice(market)
        // A crashed process had claimed one firing, and the conversation of another task was deleted.
        const tasks = yield* TaskStore
        if (left.kind !== "watch") return
        yield* tasks.claim({
          task: left.id,
          version: left.version,
          due: "arming:1",
          dueAt: begin,
          missed: 0,
          observed: null,
          question: null,
          next: { kind: "watch", from: left.watch.checkedTo, watch: { ...left.watch, armed: false }, cooldownMs: 0 }
        })
        yield* (yield* Analyst).remove(principal, schedule.conversation)
        const model = () => new ScriptedModel(() => [waitForCue(Effect.sleep(7_000)), textPart("Because."), endPart])
        deaths.crashPoint = { node: "a", point }
        yield* startNode("a", market, { model: model() })
        yield* advanceClock(8 * minuteMs, { isOver: () => deaths.isDead("a") })
        assert.isTrue(deaths.isDead("a"), "the process never reached the failpoint")
        yield* startNode("b", market, { model: model() })
        yield* advanceClock(8 * minuteMs, { stepMs: 2_500 })
        yield* advanceUntilSettled
        const { notifications, messages } = yield* readReports(account)
        for (const { id, title } of [watch, taskWithPrompt, schedule, left]) {
          const task = yield* tasks.find(account, id)
          assert.deepInclude(task, { runs: 1, status: "done" }, title)
          assert.strictEqual(notifications.filter((one) => one.task === id).length, 1, title)
        }
        const rolesIn = (id: number) => messages.filter(([one]) => one === id).map(([, role]) => role)
        assert.deepStrictEqual(rolesIn(watch.conversation), ["task"])
        assert.deepStrictEqual(rolesIn(taskWithPrompt.conversation), ["user", "assistant"])
        const moved = yield* tasks.find(account, schedule.id)
        assert.notStrictEqual(moved!.conversation, schedule.conversation)
        assert.deepStrictEqual(rolesIn(moved!.conversation), ["user", "assistant"])
        yield* advanceClock(7 * minuteMs, { stepMs: 30_000 })
        assert.deepInclude(yield* (yield* Ledger).balance(account), { used: 40, reserved: 0 })
      })
    )
)

it.effect("fires once across two processes, and claims nothing in a process that is stopping", () =>
  within((fixture) =>
    Effect.gen(function*() {
      const { account, market } = fixture
      const tasks = [
        yield* createTestTask(fixture, makePriceWatch("gt", 110), { maxRuns: null }),
        yield* createTestTask(fixture, makePriceWatch("lt", 110), { maxRuns: null, prompt: "Why?" }),
        yield* createTestTask(fixture, every(5), { maxRuns: null, title: "Well?" })
      ]
      market.priceAt = (_, end) => Math.floor((end - begin) / (3 * minuteMs)) % 2 === 1 ? 120 : 100
      const scopes = yield* Effect.all([Scope.make(), Scope.make()])
      yield* startNode("a", market, { scope: scopes[0] })
      yield* startNode("b", market, { scope: scopes[1] })
      yield* advanceClock(31 * minuteMs, { stepMs: 1_500 })
      yield* advanceUntilSettled
      const { notifications } = yield* readReports(account)
      assert.deepStrictEqual(tasks.map(({ id }) => notifications.filter(({ task }) => task === id).length), [5, 6, 6])
      yield* Effect.forEach(scopes, (scope) => Scope.close(scope, Exit.void))
      yield* advanceClock(20 * minuteMs, { stepMs: 10_000 })
      yield* startNode("c", market, { stopping: Effect.void })
      yield* advanceClock(2 * minuteMs)
      assert.strictEqual((yield* readReports(account)).notifications.length, notifications.length)
    })
  ))

const talking = new ScriptedModel(() =>
  Array.from({ length: 180 }, () => [waitForCue(Effect.sleep(20_000)), textPart(".")]).flat()
)
const bounds = Layer.effect(
  AnswerBounds,
  Effect.map(Effect.service(AnswerBounds), (defaults) => ({ ...defaults, runMs: 3_600_000 }))
)

it.effect("waits up to ten minutes for a busy conversation, and then uses a new one", () =>
  within((fixture) =>
    Effect.gen(function*() {
      const { account, market, owner: { principal } } = fixture
      const soonDueTask = yield* createTestTask(fixture, every(5), { title: "Soon free?" })
      const never = yield* createTestTask(fixture, every(5), { title: "Never free?" })
      const analyst = yield* Analyst
      for (const { conversation } of [soonDueTask, never]) {
        yield* analyst.start({ principal, request: { message: "first", conversation_id: conversation } })
      }
      yield* startNode("a", market)
      yield* advanceClock(8 * minuteMs)
      assert.deepStrictEqual((yield* readReports(account)).notifications, [])
      yield* analyst.cancel(principal, soonDueTask.conversation)
      yield* advanceClock(minuteMs)
      yield* advanceClock(5 * minuteMs)
      assert.deepStrictEqual((yield* readReports(account)).notifications.map(({ task }) => task), [soonDueTask.id])
      yield* advanceClock(2 * minuteMs)
      const { notifications, messages } = yield* readReports(account)
      assert.deepStrictEqual(notifications.map(({ task }) => task), [soonDueTask.id, never.id])
      const moved = yield* taskOf(fixture, never)
      assert.notStrictEqual(moved!.conversation, never.conversation)
      const textsIn = (id: number) => messages.filter(([one]) => one === id).map(([, , text]) => text)
      assert.deepStrictEqual(textsIn(moved!.conversation), ["Never free?", "Because it did."])
      assert.deepStrictEqual(textsIn(never.conversation), ["first"])
      assert.strictEqual((yield* taskOf(fixture, soonDueTask))!.conversation, soonDueTask.conversation)
    }), { model: talking, bounds }))

it.effect("retries a rejected firing, notifies once, and does not count it as a run", () =>
  within((fixture) =>
    Effect.gen(function*() {
      const { account, market } = fixture
      const task = yield* createTestTask(fixture, makePriceWatch("gt", 110), { prompt: "Why?", maxRuns: 2 })
      market.priceAt = (_, end) => end < begin + 4 * minuteMs ? 100 : 120
      yield* startNode("a", market, { sweepIntervalMs: 50_000 })
      yield* advanceClock(8 * minuteMs, { stepMs: 10_000 })
      const { notifications, messages } = yield* readReports(account)
      assert.deepStrictEqual(notifications.map(({ kind }) => kind), ["task_refused"])
      assert.match(
        notifications[0]!.body,
        /The day's answers are used up; the task can fire again from 2026-06-19 11:/u
      )
      assert.deepStrictEqual(messages, [])
      const waitingTask = yield* taskOf(fixture, task)
      assert.deepInclude(waitingTask, { runs: 0, status: "active" })
      assert.isAtMost(waitingTask!.notBefore!, (yield* (yield* TaskStore).currentTime) + 3_600_000)
      // The task tries again each hour, without a further notification.
      yield* advanceClock(3 * 3_600_000, { stepMs: 5 * minuteMs })
      assert.strictEqual((yield* readReports(account)).notifications.length, 1)
      assert.isAbove((yield* taskOf(fixture, task))!.last!.dueAt, begin + 2 * 3_600_000)
      yield* (yield* Administration).updateAccount(account, { plan: "pro" })
      yield* advanceClock(70 * minuteMs, { stepMs: 5 * minuteMs })
      assert.deepStrictEqual((yield* readReports(account)).notifications.map(({ kind }) => kind), [
        "task_refused",
        "task_fired"
      ])
      assert.deepInclude(yield* taskOf(fixture, task), { runs: 1, status: "active" })
    }), { plan: "mute" }))

it.effect("pauses a task and notifies its account if its key is revoked or loses the scope", () =>
  within((fixture) =>
    Effect.gen(function*() {
      const { account, key, market } = fixture
      const administration = yield* Administration
      const limited = yield* administration.issueKey({
        account,
        name: "limited",
        scopes: ["write:personal", "agent:chat"]
      })
      const taskWithPrompt = yield* createTestTask({ account, key: limited.record.id }, makePriceWatch("gt", 110), {
        prompt: "Why?"
      })
      const taskWithoutPrompt = yield* createTestTask({ account, key: limited.record.id }, makePriceWatch("gt", 110))
      const revoked = yield* createTestTask({ account, key }, every(5))
      yield* administration.updateKey(limited.record.id, { scopes: ["write:personal"] })
      yield* administration.revokeKey(key)
      raisePrice(market)
      yield* startNode("a", market)
      yield* advanceClock(7 * minuteMs)
      const { notifications } = yield* readReports(account)
      const kindOf = ({ id }: Task) => notifications.filter(({ task }) => task === id).map(({ kind }) => kind)
      assert.deepStrictEqual([taskWithPrompt, taskWithoutPrompt, revoked].map(kindOf), [
        ["task_paused"],
        ["task_fired"],
        ["task_paused"]
      ])
      for (const one of [taskWithPrompt, revoked]) {
        assert.deepInclude(yield* taskOf(fixture, one), { status: "paused", runs: 0 })
      }
      assert.deepInclude(yield* (yield* Ledger).balance(account), { used: 0, reserved: 0 })
    })
  ))

it.effect("pauses the tasks of a suspended account when they would fire, and runs them again after a resumption", () =>
  within((given) =>
    Effect.gen(function*() {
      const { account, key } = given
      const administration = yield* Administration
      const task = yield* createTestTask(given, every(5))
      yield* administration.updateAccount(account, { status: { status: "suspended", reason: null } })
      yield* startNode("a", given.market)
      yield* advanceClock(7 * minuteMs)
      assert.deepInclude(yield* taskOf(given, task), { status: "paused", runs: 0 })
      const [notification, ...rest] = (yield* readReports(account)).notifications
      assert.deepStrictEqual([notification?.kind, rest], ["task_paused", []])
      assert.include(notification?.body, "The account was suspended")
      yield* administration.updateAccount(account, { status: { status: "active", reason: null } })
      const resume = { _tag: "Update", id: task.id, key, status: "active" } as const
      yield* (yield* TaskStore).write(account, "resume", resume)
      yield* advanceClock(7 * minuteMs)
      assert.deepInclude(yield* taskOf(given, task), { status: "done", runs: 1 })
    })
  ))

it.effect("without an analyst, rejects tasks with a question and fires the others", () =>
  within((fixture) =>
    Effect.gen(function*() {
      const { account, market } = fixture
      const scheduleTask = yield* createTestTask(fixture, every(5))
      const taskWithoutPrompt = yield* createTestTask(fixture, makePriceWatch("gt", 110))
      raisePrice(market)
      yield* startNode("a", market, { hasAnalyst: false })
      yield* advanceClock(7 * minuteMs)
      const { notifications } = yield* readReports(account)
      const findNotification = ({ id }: Task) => notifications.find(({ task }) => task === id)
      assert.deepInclude(findNotification(scheduleTask), {
        kind: "task_refused",
        body: "The task asks the analyst, and this service has none."
      })
      assert.deepInclude(findNotification(taskWithoutPrompt), { kind: "task_fired" })
    })
  ))

it.effect("evaluates a watch later if its source is unavailable, and fires other watches meanwhile", () =>
  within((fixture) =>
    Effect.gen(function*() {
      const { account, market } = fixture
      const coin = yield* createTestTask(fixture, makePriceWatch("cross_above", 110))
      const share = yield* createTestTask(fixture, {
        kind: "watch",
        spec: { metric: "price", market: "us", symbol: "AAPL", op: "lt", value: 150 }
      })
      market.priceAt = (_, end) => end === begin + 4 * minuteMs ? 120 : 100
      market.sharesAt = (end) => [{ symbol: "AAPL", time: end - 90_000, price: end < begin + 6 * minuteMs ? 151 : 149 }]
      market.isUnavailable = true
      yield* startNode("a", market)
      yield* advanceClock(30 * minuteMs, { stepMs: 2_000 })
      const before = yield* readReports(account)
      assert.deepStrictEqual(before.notifications.map(({ task }) => task), [share.id])
      const waiting = yield* taskOf(fixture, coin)
      assert.deepInclude(waiting, { kind: "watch", watch: { arming: 1, armed: true, checkedTo: begin, last: null } })
      market.isUnavailable = false
      market.knownUntil = begin + 3 * minuteMs
      yield* advanceClock(2 * minuteMs)
      assert.strictEqual((yield* readReports(account)).notifications.length, 1)
      market.knownUntil = Infinity
      yield* advanceClock(2 * minuteMs)
      const { notifications } = yield* readReports(account)
      assert.deepStrictEqual(notifications.map(({ task }) => task), [share.id, coin.id])
      assert.match(notifications[1]!.body, /crossed above 110\. Detected \d\d min late\.$/u)
    })
  ))

it.effect("reads each kind of data once per sweep, for any number of watches", () =>
  within((fixture) =>
    Effect.gen(function*() {
      const { market } = fixture
      const specs = [
        makePriceWatch("gt", 1e6),
        makePriceWatch("cross_below", 1),
        { kind: "watch", spec: { metric: "gap", market: "coin", symbol: "*", value: 50 } },
        { kind: "watch", spec: { metric: "vwap_cross", market: "coin", symbol: "BTC", dir: "above" } }
      ] as const
      for (let i = 0; i < 60; i++) yield* createTestTask(fixture, specs[i % specs.length]!, { maxRuns: null })
      yield* startNode("a", market)
      yield* advanceClock(3 * minuteMs)
      market.reads.length = 0
      yield* advanceClock(3 * minuteMs)
      assert.deepStrictEqual(market.reads, [
        "minutes",
        "candlesByCoin",
        "minutes",
        "candlesByCoin",
        "minutes",
        "candlesByCoin"
      ])
    })
  ))
