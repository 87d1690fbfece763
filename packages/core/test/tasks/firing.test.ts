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

interface Given {
  readonly deaths: CrashSimulator
  readonly market: TestMarket
  readonly owner: Owner
  readonly account: number
  readonly key: number
}

/** Runs a test of an account with a key on its own stores, with an engine that runs no tasks. */
const within = (
  test: (given: Given) => Effect.Effect<void, unknown, Services>,
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

const taskOf = ({ account }: Given, { id }: Task) => Effect.flatMap(TaskStore, (tasks) => tasks.find(account, id))

const every = (every_min: number) => ({ kind: "schedule", spec: { every_min } }) as const

const rise = (market: TestMarket) => {
  market.priceAt = (_, end) => end < begin + 4 * minuteMs ? 100 : 120
}

it.effect("fires a watch once, and reports it in its conversation and as a notification", () =>
  within((given) =>
    Effect.gen(function*() {
      const { account, market } = given
      const task = yield* createTestTask(given, makePriceWatch("cross_above", 110), { title: "BTC above 110" })
      rise(market)
      yield* startNode("a", market)
      yield* advanceClock(6 * minuteMs)
      const { bell, said } = yield* readReports(account)
      assert.strictEqual(bell.length, 1, JSON.stringify(bell))
      const time = new Date(begin + 4 * minuteMs).toISOString().slice(11, 16)
      const body = `BTC: price 120 at 2026-06-19 ${time} UTC, crossed above 110.`
      assert.deepInclude(bell[0], { kind: "task_fired", title: "BTC above 110", body, task: task.id, read: false })
      assert.deepStrictEqual(said, [[task.conversation, "task", `BTC above 110\n\n${body}`]])
      const after = yield* taskOf(given, task)
      assert.deepInclude(after, { status: "done", runs: 1 })
      assert.deepInclude(after!.last, { outcome: "reported", dueAt: begin + 4 * minuteMs })
      assert.isBelow(after!.last!.lateByMs, 10_000)
    })
  ))

it.effect("fires once for times missed while no process ran, and reports the delay", () =>
  within((given) =>
    Effect.gen(function*() {
      const { account, market } = given
      const watch = yield* createTestTask(given, makePriceWatch("gt", 110), { maxRuns: null })
      const hourly = yield* createTestTask(given, every(60), { maxRuns: null, title: "What now?" })
      market.priceAt = (_, end) => Math.floor((end - begin) / (10 * minuteMs)) % 2 === 1 ? 120 : 100
      const dueAt = hourly.kind === "schedule" ? hourly.nextAt : 0
      yield* TestClock.setTime(now + 5 * 3_600_000 + 15 * minuteMs)
      yield* startNode("a", market, { sweepIntervalMs: 10_000 })
      yield* advanceClock(minuteMs)
      const { bell } = yield* readReports(account)
      const [about, other] = [watch, hourly].map(({ id }) => bell.filter(({ task }) => task === id))
      assert.strictEqual(about!.length, 1)
      assert.match(about![0]!.body, /Detected 30\d min late\. Until then it would have fired 15 more times\./u)
      assert.strictEqual(other!.length, 1)
      assert.match(other![0]!.body, /^Detected 15 min late\. Until then it would have fired 4 more times\. Because/u)
      assert.deepInclude((yield* taskOf(given, hourly))!.last, { dueAt: dueAt + 4 * 3_600_000 })
      // With regular checks from now on, each true minute after a false minute causes its own firing.
      yield* advanceClock(40 * minuteMs, { stepMs: 5_000 })
      assert.strictEqual((yield* readReports(account)).bell.filter(({ task }) => task === watch.id).length, 3)
    })
  ))

it.effect("sends a task's question to the analyst, charges the answer, and reports it", () =>
  within((given) =>
    Effect.gen(function*() {
      const { account, market } = given
      const watch = yield* createTestTask(given, makePriceWatch("gt", 110), {
        prompt: "What is behind it?",
        title: "rise"
      })
      const schedule = yield* createTestTask(given, every(5), { title: "How is the market?" })
      rise(market)
      const model = makeAnsweringModel()
      yield* startNode("a", market, { model })
      yield* advanceClock(6 * minuteMs)
      yield* advanceUntilSettled
      const { bell, said } = yield* readReports(account)
      const time = new Date(begin + 4 * minuteMs).toISOString().slice(11, 16)
      const seen = `BTC: price 120 at 2026-06-19 ${time} UTC, above 110.`
      assert.deepStrictEqual(said.filter(([id]) => id === watch.conversation).map(([, ...rest]) => rest), [
        ["user", `What is behind it?\n\n(The alert "rise" fired. ${seen})`],
        ["assistant", "Because it did."]
      ])
      assert.deepStrictEqual(said.filter(([id]) => id === schedule.conversation).map(([, ...rest]) => rest), [
        ["user", "How is the market?"],
        ["assistant", "Because it did."]
      ])
      const bodyOf = ({ id }: Task) => bell.find(({ task }) => task === id)?.body
      assert.strictEqual(bodyOf(watch), `${seen} Because it did.`)
      assert.strictEqual(bodyOf(schedule), "Because it did.")
      const books = yield* (yield* Ledger).balance(account)
      assert.deepInclude(books, { used: 40, reserved: 0 })
      const outcomes = yield* Effect.forEach(
        [watch, schedule],
        (task) => Effect.map(taskOf(given, task), (after) => after?.last?.outcome)
      )
      assert.deepStrictEqual(outcomes, ["answered", "answered"])
      // A task in the background is offered no tool that writes.
      for (const { purpose, tools } of model.requests) {
        if (purpose === "answer") assert.isFalse(tools.some(({ name }) => name === "write_it"))
      }
    })
  ))

it.effect.each(deadlyPoints)(
  "fires, charges and reports each task once if a process dies at %s and another takes over",
  (point) =>
    within((given) =>
      Effect.gen(function*() {
        const { account, deaths, market, owner: { principal } } = given
        const watch = yield* createTestTask(given, makePriceWatch("gt", 110), { title: "plain" })
        const asking = yield* createTestTask(given, makePriceWatch("gt", 110), { title: "asking", prompt: "Why?" })
        const schedule = yield* createTestTask(given, every(5), { title: "Well?" })
        const left = yield* createTestTask(given, makePriceWatch("gt", 50), { title: "left" })
        rise(market)
        // A process that no longer runs had claimed one firing, and the conversation of another task was deleted.
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
        const { bell, said } = yield* readReports(account)
        for (const { id, title } of [watch, asking, schedule, left]) {
          const task = yield* tasks.find(account, id)
          assert.deepInclude(task, { runs: 1, status: "done" }, title)
          assert.strictEqual(bell.filter((one) => one.task === id).length, 1, title)
        }
        const rolesIn = (id: number) => said.filter(([one]) => one === id).map(([, role]) => role)
        assert.deepStrictEqual(rolesIn(watch.conversation), ["task"])
        assert.deepStrictEqual(rolesIn(asking.conversation), ["user", "assistant"])
        const moved = yield* tasks.find(account, schedule.id)
        assert.notStrictEqual(moved!.conversation, schedule.conversation)
        assert.deepStrictEqual(rolesIn(moved!.conversation), ["user", "assistant"])
        yield* advanceClock(7 * minuteMs, { stepMs: 30_000 })
        assert.deepInclude(yield* (yield* Ledger).balance(account), { used: 40, reserved: 0 })
      })
    )
)

it.effect("fires once across two processes, and claims nothing in a process that is stopping", () =>
  within((given) =>
    Effect.gen(function*() {
      const { account, market } = given
      const tasks = [
        yield* createTestTask(given, makePriceWatch("gt", 110), { maxRuns: null }),
        yield* createTestTask(given, makePriceWatch("lt", 110), { maxRuns: null, prompt: "Why?" }),
        yield* createTestTask(given, every(5), { maxRuns: null, title: "Well?" })
      ]
      market.priceAt = (_, end) => Math.floor((end - begin) / (3 * minuteMs)) % 2 === 1 ? 120 : 100
      const scopes = yield* Effect.all([Scope.make(), Scope.make()])
      yield* startNode("a", market, { scope: scopes[0] })
      yield* startNode("b", market, { scope: scopes[1] })
      yield* advanceClock(31 * minuteMs, { stepMs: 1_500 })
      yield* advanceUntilSettled
      const { bell } = yield* readReports(account)
      assert.deepStrictEqual(tasks.map(({ id }) => bell.filter(({ task }) => task === id).length), [5, 6, 6])
      yield* Effect.forEach(scopes, (scope) => Scope.close(scope, Exit.void))
      yield* advanceClock(20 * minuteMs, { stepMs: 10_000 })
      yield* startNode("c", market, { stopping: Effect.void })
      yield* advanceClock(2 * minuteMs)
      assert.strictEqual((yield* readReports(account)).bell.length, bell.length)
    })
  ))

const talking = new ScriptedModel(() =>
  Array.from({ length: 180 }, () => [waitForCue(Effect.sleep(20_000)), textPart(".")]).flat()
)
const bounds = Layer.effect(
  AnswerBounds,
  Effect.map(Effect.service(AnswerBounds), (usual) => ({ ...usual, runMs: 3_600_000 }))
)

it.effect("waits up to ten minutes for a busy conversation, and then uses a new one", () =>
  within((given) =>
    Effect.gen(function*() {
      const { account, market, owner: { principal } } = given
      const soon = yield* createTestTask(given, every(5), { title: "Soon free?" })
      const never = yield* createTestTask(given, every(5), { title: "Never free?" })
      const analyst = yield* Analyst
      for (const { conversation } of [soon, never]) {
        yield* analyst.start({ principal, request: { message: "first", conversation_id: conversation } })
      }
      yield* startNode("a", market)
      yield* advanceClock(8 * minuteMs)
      assert.deepStrictEqual((yield* readReports(account)).bell, [])
      yield* analyst.cancel(principal, soon.conversation)
      yield* advanceClock(minuteMs)
      yield* advanceClock(5 * minuteMs)
      assert.deepStrictEqual((yield* readReports(account)).bell.map(({ task }) => task), [soon.id])
      yield* advanceClock(2 * minuteMs)
      const { bell, said } = yield* readReports(account)
      assert.deepStrictEqual(bell.map(({ task }) => task), [soon.id, never.id])
      const moved = yield* taskOf(given, never)
      assert.notStrictEqual(moved!.conversation, never.conversation)
      const textsIn = (id: number) => said.filter(([one]) => one === id).map(([, , text]) => text)
      assert.deepStrictEqual(textsIn(moved!.conversation), ["Never free?", "Because it did."])
      assert.deepStrictEqual(textsIn(never.conversation), ["first"])
      assert.strictEqual((yield* taskOf(given, soon))!.conversation, soon.conversation)
    }), { model: talking, bounds }))

it.effect("retries a rejected firing, notifies once, and does not count it as a run", () =>
  within((given) =>
    Effect.gen(function*() {
      const { account, market } = given
      const task = yield* createTestTask(given, makePriceWatch("gt", 110), { prompt: "Why?", maxRuns: 2 })
      market.priceAt = (_, end) => end < begin + 4 * minuteMs ? 100 : 120
      yield* startNode("a", market, { sweepIntervalMs: 50_000 })
      yield* advanceClock(8 * minuteMs, { stepMs: 10_000 })
      const { bell, said } = yield* readReports(account)
      assert.deepStrictEqual(bell.map(({ kind }) => kind), ["task_refused"])
      assert.match(bell[0]!.body, /The day's answers are used up; the task can fire again from 2026-06-19 11:/u)
      assert.deepStrictEqual(said, [])
      const held = yield* taskOf(given, task)
      assert.deepInclude(held, { runs: 0, status: "active" })
      assert.isAtMost(held!.notBefore!, (yield* (yield* TaskStore).currentTime) + 3_600_000)
      // The task is retried each hour without a further notification.
      yield* advanceClock(3 * 3_600_000, { stepMs: 60_000 })
      assert.strictEqual((yield* readReports(account)).bell.length, 1)
      assert.isAbove((yield* taskOf(given, task))!.last!.dueAt, begin + 2 * 3_600_000)
      yield* (yield* Administration).updateAccount(account, { plan: "pro" })
      yield* advanceClock(70 * minuteMs, { stepMs: 60_000 })
      assert.deepStrictEqual((yield* readReports(account)).bell.map(({ kind }) => kind), ["task_refused", "task_fired"])
      assert.deepInclude(yield* taskOf(given, task), { runs: 1, status: "active" })
    }), { plan: "mute" }))

it.effect("pauses a task and notifies its account if its key is revoked or loses the scope", () =>
  within((given) =>
    Effect.gen(function*() {
      const { account, key, market } = given
      const administration = yield* Administration
      const limited = yield* administration.issueKey({
        account,
        name: "limited",
        scopes: ["write:personal", "agent:chat"]
      })
      const asking = yield* createTestTask({ account, key: limited.record.id }, makePriceWatch("gt", 110), {
        prompt: "Why?"
      })
      const plain = yield* createTestTask({ account, key: limited.record.id }, makePriceWatch("gt", 110))
      const revoked = yield* createTestTask({ account, key }, every(5))
      yield* administration.updateKey(limited.record.id, { scopes: ["write:personal"] })
      yield* administration.revokeKey(key)
      rise(market)
      yield* startNode("a", market)
      yield* advanceClock(7 * minuteMs)
      const { bell } = yield* readReports(account)
      const kindOf = ({ id }: Task) => bell.filter(({ task }) => task === id).map(({ kind }) => kind)
      assert.deepStrictEqual([asking, plain, revoked].map(kindOf), [["task_paused"], ["task_fired"], ["task_paused"]])
      for (const one of [asking, revoked]) {
        assert.deepInclude(yield* taskOf(given, one), { status: "paused", runs: 0 })
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
      const [notification, ...rest] = (yield* readReports(account)).bell
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
  within((given) =>
    Effect.gen(function*() {
      const { account, market } = given
      const asking = yield* createTestTask(given, every(5))
      const plain = yield* createTestTask(given, makePriceWatch("gt", 110))
      rise(market)
      yield* startNode("a", market, { hasAnalyst: false })
      yield* advanceClock(7 * minuteMs)
      const { bell } = yield* readReports(account)
      const of = ({ id }: Task) => bell.find(({ task }) => task === id)
      assert.deepInclude(of(asking), {
        kind: "task_refused",
        body: "The task asks the analyst, and this service has none."
      })
      assert.deepInclude(of(plain), { kind: "task_fired" })
    })
  ))

it.effect("evaluates a watch later if its source is unavailable, and fires other watches meanwhile", () =>
  within((given) =>
    Effect.gen(function*() {
      const { account, market } = given
      const coin = yield* createTestTask(given, makePriceWatch("cross_above", 110))
      const share = yield* createTestTask(given, {
        kind: "watch",
        spec: { metric: "price", market: "us", symbol: "AAPL", op: "lt", value: 150 }
      })
      market.priceAt = (_, end) => end === begin + 4 * minuteMs ? 120 : 100
      market.sharesAt = (end) => [{ symbol: "AAPL", time: end - 90_000, price: end < begin + 6 * minuteMs ? 151 : 149 }]
      market.isUnavailable = true
      yield* startNode("a", market)
      yield* advanceClock(30 * minuteMs, { stepMs: 2_000 })
      const before = yield* readReports(account)
      assert.deepStrictEqual(before.bell.map(({ task }) => task), [share.id])
      const waiting = yield* taskOf(given, coin)
      assert.deepInclude(waiting, { kind: "watch", watch: { arming: 1, armed: true, checkedTo: begin, last: null } })
      market.isUnavailable = false
      market.knownUntil = begin + 3 * minuteMs
      yield* advanceClock(2 * minuteMs)
      assert.strictEqual((yield* readReports(account)).bell.length, 1)
      market.knownUntil = Infinity
      yield* advanceClock(2 * minuteMs)
      const { bell } = yield* readReports(account)
      assert.deepStrictEqual(bell.map(({ task }) => task), [share.id, coin.id])
      assert.match(bell[1]!.body, /crossed above 110\. Detected \d\d min late\.$/u)
    })
  ))

it.effect("reads each kind of data once per sweep, for any number of watches", () =>
  within((given) =>
    Effect.gen(function*() {
      const { market } = given
      const specs = [
        makePriceWatch("gt", 1e6),
        makePriceWatch("cross_below", 1),
        { kind: "watch", spec: { metric: "gap", market: "coin", symbol: "*", value: 50 } },
        { kind: "watch", spec: { metric: "vwap_cross", market: "coin", symbol: "BTC", dir: "above" } }
      ] as const
      for (let i = 0; i < 60; i++) yield* createTestTask(given, specs[i % specs.length]!, { maxRuns: null })
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
