import { assert, it } from "@effect/vitest"
import { Administration, Ledger, toNotificationRow } from "@tapeline/core"
import { type NotificationFacts, type NotificationKind, TaskStore } from "@tapeline/core/personal"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Exit, Layer, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { makeAgentEngine } from "../agent/agentEngine.ts"
import { now } from "../tools/fakeMarket.ts"
import {
  advanceClock,
  CrashSimulator,
  createTestTask,
  makeAnsweringModel,
  makePriceWatch,
  makeStores,
  plans,
  readReports,
  startNode,
  TestMarket
} from "./testNodes.ts"

/* Tests processes with and without an analyst on the same stores. */

const minuteMs = 60_000

const within = (
  test: (fixture: {
    readonly deaths: CrashSimulator
    readonly market: TestMarket
    readonly owner: Effect.Success<ReturnType<typeof createKeyedAccount>>
  }) => Effect.Effect<
    void,
    unknown,
    Layer.Success<ReturnType<typeof makeStores>> | Layer.Success<ReturnType<typeof makeAgentEngine>>
  >
) => {
  const deaths = new CrashSimulator()
  return Effect.gen(function*() {
    yield* test({ deaths, market: new TestMarket(), owner: yield* createKeyedAccount() })
  }).pipe(Effect.provide(
    makeAgentEngine(makeAnsweringModel(), { plans }).pipe(
      Layer.provideMerge(makeStores(deaths)),
      Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
    ),
    { local: true }
  ))
}

it.effect("leaves a firing that waits for an answer to a process that has an analyst", () =>
  within(({ deaths, market, owner: { account: { id: account }, record } }) =>
    Effect.gen(function*() {
      const taskWithPrompt = yield* createTestTask({ account, key: record.id }, makePriceWatch("gt", 110), {
        prompt: "Why?"
      })
      market.priceAt = (_, end) => end < now + 4 * minuteMs ? 100 : 120
      deaths.crashPoint = { node: "a", point: "after:asked" }
      yield* startNode("a", market)
      yield* advanceClock(8 * minuteMs, { isOver: () => deaths.isDead("a") })
      assert.isTrue(deaths.isDead("a"), "the process never reached the failpoint")
      const scope = yield* Scope.make()
      yield* startNode("mute", market, { hasAnalyst: false, scope })
      yield* advanceClock(2 * minuteMs, { stepMs: 2_500 })
      assert.deepStrictEqual((yield* readReports(account)).notifications, [])
      yield* Scope.close(scope, Exit.void)
      yield* startNode("b", market)
      yield* advanceClock(2 * minuteMs, { stepMs: 2_500 })
      assert.deepStrictEqual((yield* readReports(account)).notifications.map(({ kind }) => kind), ["task_fired"])
      assert.deepInclude(yield* (yield* TaskStore).find(account, taskWithPrompt.id), { runs: 1, status: "done" })
      assert.deepInclude(yield* (yield* Ledger).balance(account), { used: 20, reserved: 0 })
    })
  ))

it.effect("fires a signed-in user's task after the account's keys are revoked", () =>
  within(({ market, owner: { account: { id: account }, record } }) =>
    Effect.gen(function*() {
      const task = yield* createTestTask({ account, key: null }, makePriceWatch("gt", 110), { prompt: "Why?" })
      yield* createTestTask({ account, key: record.id }, makePriceWatch("gt", 110))
      yield* (yield* Administration).revokeKey(record.id)
      market.priceAt = (_, end) => end < now + 4 * minuteMs ? 100 : 120
      yield* startNode("a", market)
      yield* advanceClock(10 * minuteMs)
      assert.deepInclude(yield* (yield* TaskStore).find(account, task.id), { key: null, runs: 1, status: "done" })
      assert.sameMembers((yield* readReports(account)).notifications.map(({ kind }) => kind), [
        "task_fired",
        "task_paused"
      ])
    })
  ))

it.effect("translates a notification's text to the reader's language, and keeps its title", () =>
  within(({ market, owner: { account: { id: account } } }) =>
    Effect.gen(function*() {
      yield* createTestTask({ account, key: null }, makePriceWatch("gt", 110), { title: "BTC moves" })
      market.priceAt = (_, end) => end < now + 4 * minuteMs ? 100 : 120
      yield* startNode("a", market)
      yield* advanceClock(10 * minuteMs)
      const fired = (yield* readReports(account)).notifications[0]!
      assert.match(fired.body, /^BTC: price 120 at .* UTC, above 110\.$/)
      assert.strictEqual(toNotificationRow(fired, "en").body, fired.body)
      const inRussian = toNotificationRow(fired, "ru")
      assert.match(inRussian.body, /^BTC: цена 120, .* UTC, выше 110\.$/)
      assert.strictEqual(inRussian.title, "BTC moves")
      const textOf = (kind: NotificationKind, extraFacts: Partial<NotificationFacts> = {}) => {
        const facts = { observed: null, lateByMs: 0, missed: 0, ...extraFacts }
        return toNotificationRow({ ...fired, kind, facts }, "ru").body
      }
      assert.strictEqual(textOf("task_fired", { answer: "It rose." }), "It rose.")
      assert.match(textOf("task_fired", { answer: null }), /^Ответ/)
      assert.match(textOf("task_failed"), /^Аналитик не смог/)
      assert.match(textOf("task_paused"), /^Задача приостановлена/)
      const textOfRefused = (reason: "credits" | "answers" | "no_analyst") =>
        textOf("task_refused", { refused: { reason, until: now } })
      assert.match(textOfRefused("credits"), /не хватило кредитов.* UTC\.$/)
      assert.match(textOfRefused("answers"), /исчерпаны.* UTC\.$/)
      assert.match(textOfRefused("no_analyst"), /сервисе его нет\.$/)
      const { facts: _, ...old } = fired
      assert.strictEqual(toNotificationRow(old, "ru").body, fired.body)
    })
  ))

it.effect("reports all counters of a process as 0 at its start", () =>
  within(({ market }) =>
    Effect.gen(function*() {
      yield* startNode("a", market)
      const counters = (yield* Metric.snapshot).flatMap(({ attributes = {}, id, state, type }) =>
        type === "Counter" ? [[id, Object.values(attributes).toSorted().join(" "), Number(state.count)] as const] : []
      )
      assert.deepStrictEqual(counters.filter(([, , count]) => count !== 0), [])
      const labels = (name: string) => counters.flatMap(([id, task]) => id === name ? [task] : []).toSorted()
      assert.deepStrictEqual(labels("tapeline_agent_answers"), [
        "cancelled scripted",
        "failed scripted",
        "finished scripted"
      ])
      assert.lengthOf(labels("tapeline_agent_attempts"), 3)
      assert.lengthOf(labels("tapeline_agent_tokens"), 4)
      assert.lengthOf(labels("tapeline_agent_steps"), 1)
      assert.lengthOf(labels("tapeline_task_firings"), 10)
      assert.lengthOf(labels("tapeline_task_watches_judged"), 1)
      assert.includeMembers(labels("tapeline_calls"), ["ok price", "failed price"])
    })
  ).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
