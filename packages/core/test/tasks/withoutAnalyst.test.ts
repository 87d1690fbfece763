import { assert, it } from "@effect/vitest"
import { Administration, Ledger, notificationRow } from "@tapeline/core"
import { type NotificationFacts, type NotificationKind, TaskStore } from "@tapeline/core/personal"
import { enrol } from "@tapeline/testing"
import { Effect, Exit, Layer, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { agentEngine } from "../agent/agentEngine.ts"
import { now } from "../tools/market.ts"
import { answering, Deaths, leftBy, makeTask, Market, pass, plans, price, startNode, storesOf } from "./nodes.ts"

/* Processes with and without an analyst on the same stores. */

const minuteMs = 60_000

const within = (
  test: (given: {
    readonly deaths: Deaths
    readonly market: Market
    readonly owner: Effect.Success<ReturnType<typeof enrol>>
  }) => Effect.Effect<
    void,
    unknown,
    Layer.Success<ReturnType<typeof storesOf>> | Layer.Success<ReturnType<typeof agentEngine>>
  >
) => {
  const deaths = new Deaths()
  return Effect.gen(function*() {
    yield* test({ deaths, market: new Market(), owner: yield* enrol() })
  }).pipe(Effect.provide(
    agentEngine(answering(), { plans }).pipe(
      Layer.provideMerge(storesOf(deaths)),
      Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
    ),
    { local: true }
  ))
}

it.effect("a process without an analyst leaves what another has asked to one that can tell", () =>
  within(({ deaths, market, owner: { account: { id: account }, record } }) =>
    Effect.gen(function*() {
      const asking = yield* makeTask({ account, key: record.id }, price("gt", 110), { prompt: "Why?" })
      market.priceAt = (_, end) => end < now + 4 * minuteMs ? 100 : 120
      deaths.at = { node: "a", point: "after:asked" }
      yield* startNode("a", market)
      yield* pass(8 * minuteMs, { isOver: () => deaths.isDead("a") })
      assert.isTrue(deaths.isDead("a"), "it never comes there")
      const scope = yield* Scope.make()
      yield* startNode("mute", market, { hasAnalyst: false, scope })
      yield* pass(2 * minuteMs, { stepMs: 2_500 })
      assert.deepStrictEqual((yield* leftBy(account)).bell, [])
      yield* Scope.close(scope, Exit.void)
      yield* startNode("b", market)
      yield* pass(2 * minuteMs, { stepMs: 2_500 })
      assert.deepStrictEqual((yield* leftBy(account)).bell.map(({ kind }) => kind), ["task_fired"])
      assert.deepInclude(yield* (yield* TaskStore).find(account, asking.id), { runs: 1, status: "done" })
      assert.deepInclude(yield* (yield* Ledger).books(account), { used: 20, reserved: 0 })
    })
  ))

it.effect("what an owner made signed in fires in the account's name, whatever becomes of its keys", () =>
  within(({ market, owner: { account: { id: account }, record } }) =>
    Effect.gen(function*() {
      const task = yield* makeTask({ account, key: null }, price("gt", 110), { prompt: "Why?" })
      yield* makeTask({ account, key: record.id }, price("gt", 110))
      yield* (yield* Administration).revokeKey(record.id)
      market.priceAt = (_, end) => end < now + 4 * minuteMs ? 100 : 120
      yield* startNode("a", market)
      yield* pass(10 * minuteMs)
      assert.deepInclude(yield* (yield* TaskStore).find(account, task.id), { key: null, runs: 1, status: "done" })
      assert.sameMembers((yield* leftBy(account)).bell.map(({ kind }) => kind), ["task_fired", "task_paused"])
    })
  ))

it.effect("a notification's text is in the reader's language, and its title stays as it is", () =>
  within(({ market, owner: { account: { id: account } } }) =>
    Effect.gen(function*() {
      yield* makeTask({ account, key: null }, price("gt", 110), { title: "BTC moves" })
      market.priceAt = (_, end) => end < now + 4 * minuteMs ? 100 : 120
      yield* startNode("a", market)
      yield* pass(10 * minuteMs)
      const fired = (yield* leftBy(account)).bell[0]!
      assert.match(fired.body, /^BTC: price 120 at .* UTC, above 110\.$/)
      assert.strictEqual(notificationRow(fired, "en").body, fired.body)
      const inRussian = notificationRow(fired, "ru")
      assert.match(inRussian.body, /^BTC: цена 120, .* UTC, выше 110\.$/)
      assert.strictEqual(inRussian.title, "BTC moves")
      const textOf = (kind: NotificationKind, more: Partial<NotificationFacts> = {}) => {
        const facts = { observed: null, lateByMs: 0, missed: 0, ...more }
        return notificationRow({ ...fired, kind, facts }, "ru").body
      }
      assert.strictEqual(textOf("task_fired", { answer: "It rose." }), "It rose.")
      assert.match(textOf("task_fired", { answer: null }), /^Ответ/)
      assert.match(textOf("task_failed"), /^Аналитик не смог/)
      assert.match(textOf("task_paused"), /^Задача приостановлена/)
      const refused = (reason: "credits" | "answers" | "no_analyst") =>
        textOf("task_refused", { refused: { reason, until: now } })
      assert.match(refused("credits"), /не осталось кредитов.* UTC\.$/)
      assert.match(refused("answers"), /исчерпаны.* UTC\.$/)
      assert.match(refused("no_analyst"), /сервисе его нет\.$/)
      const { facts: _, ...old } = fired
      assert.strictEqual(notificationRow(old, "ru").body, fired.body)
    })
  ))

it.effect("the counters of a process are there with 0 before anything happens", () =>
  within(({ market }) =>
    Effect.gen(function*() {
      yield* startNode("a", market)
      const counters = (yield* Metric.snapshot).flatMap(({ attributes = {}, id, state, type }) =>
        type === "Counter" ? [[id, Object.values(attributes).toSorted().join(" "), Number(state.count)] as const] : []
      )
      assert.deepStrictEqual(counters.filter(([, , count]) => count !== 0), [])
      const labels = (name: string) => counters.flatMap(([id, of]) => id === name ? [of] : []).toSorted()
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
