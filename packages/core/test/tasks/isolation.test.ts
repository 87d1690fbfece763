import { assert, it } from "@effect/vitest"
import { Administration, StoreUnavailable } from "@tapeline/core"
import { Analyst, AnswerBounds } from "@tapeline/core/agent"
import { type Firing, type ScheduleTask, TaskStore, TaskTiming, type WatchTask } from "@tapeline/core/personal"
import { createKeyedAccount } from "@tapeline/testing"
import { ScriptedModel, textPart, waitForCue } from "@tapeline/testing/agent/ScriptedModel"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { sweepSchedules } from "../../src/personal/tasks/run/sweepSchedules.ts"
import { sweepWatches } from "../../src/personal/tasks/run/sweepWatches.ts"
import { makeAgentEngine } from "../agent/agentEngine.ts"
import { now } from "../tools/fakeMarket.ts"
import {
  advanceClock,
  CrashSimulator,
  createTestTask,
  makePriceWatch,
  makeStores,
  plans,
  readReports,
  startNode,
  TestMarket
} from "./testNodes.ts"

/* Tests that a task is not delayed by other accounts' tasks or by sources without data. */

const minuteMs = 60_000
const begin = Math.floor(now / minuteMs) * minuteMs
const unavailableError = new StoreUnavailable({ store: "TaskStore", cause: new Error("held") })

const talking = new ScriptedModel(() =>
  Array.from({ length: 180 }, () => [waitForCue(Effect.sleep(20_000)), textPart(".")]).flat()
)
const bounds = Layer.effect(
  AnswerBounds,
  Effect.map(Effect.service(AnswerBounds), (defaults) => ({ ...defaults, runMs: 3_600_000 }))
)

type Owner = Effect.Success<ReturnType<typeof createKeyedAccount>>

const within = (
  test: (fixture: { readonly market: TestMarket; readonly owners: readonly [Owner, Owner] }) => Effect.Effect<
    void,
    unknown,
    Layer.Success<ReturnType<typeof makeStores>> | Layer.Success<ReturnType<typeof makeAgentEngine>>
  >
) =>
  Effect.gen(function*() {
    yield* test({ market: new TestMarket(), owners: [yield* createKeyedAccount(), yield* createKeyedAccount()] })
  }).pipe(Effect.provide(
    makeAgentEngine(talking, { plans, bounds }).pipe(
      Layer.provideMerge(makeStores(new CrashSimulator())),
      Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
    ),
    { local: true }
  ))

const ownerOf = ({ account, record }: Owner) => ({ account: account.id, key: record.id })

it.effect.runIf(isFullRun)(
  "fires an account's task while 40 questions of another account wait for conversations",
  () =>
    within(({ market, owners: [greedy, other] }) =>
      Effect.gen(function*() {
        const analyst = yield* Analyst
        for (let i = 0; i < 40; i++) {
          const { conversation } = yield* createTestTask(ownerOf(greedy), { kind: "schedule", spec: { every_min: 5 } })
          yield* analyst.start({
            principal: greedy.principal,
            request: { message: "first", conversation_id: conversation }
          })
        }
        const ownTask = yield* createTestTask(ownerOf(other), makePriceWatch("gt", 110))
        market.priceAt = (_, end) => end < begin + 7 * minuteMs ? 100 : 120
        yield* startNode("a", market)
        yield* advanceClock(9 * minuteMs)
        const { notifications } = yield* readReports(other.account.id)
        assert.deepStrictEqual(notifications.map(({ task }) => task), [ownTask.id])
      })
    )
)

it.effect("starts no answer if the key is revoked while its firing waits", () =>
  within(({ market, owners: [owner] }) =>
    Effect.gen(function*() {
      const { account, principal, record } = owner
      const analyst = yield* Analyst
      const task = yield* createTestTask(ownerOf(owner), { kind: "schedule", spec: { every_min: 5 } })
      yield* analyst.start({ principal, request: { message: "first", conversation_id: task.conversation } })
      yield* startNode("a", market)
      yield* advanceClock(7 * minuteMs)
      yield* (yield* Administration).revokeKey(record.id)
      yield* analyst.cancel(principal, task.conversation)
      yield* advanceClock(minuteMs)
      const { notifications, messages } = yield* readReports(account.id)
      assert.deepStrictEqual(notifications.map(({ kind }) => kind), ["task_paused"])
      assert.deepStrictEqual(messages.filter(([, role]) => role === "user").map(([, , text]) => text), ["first"])
    })
  ))

it.effect("runs a firing after hours in a new conversation if its own was deleted", () =>
  within(({ market, owners: [owner] }) =>
    Effect.gen(function*() {
      const task = yield* createTestTask(ownerOf(owner), { kind: "schedule", spec: { every_min: 5 } })
      const tasks = yield* TaskStore
      if (task.kind !== "schedule") return
      yield* TestClock.setTime(task.nextAt)
      yield* tasks.claim({
        task: task.id,
        version: task.version,
        due: `at:${task.nextAt}`,
        dueAt: task.nextAt,
        missed: 0,
        observed: null,
        question: "Well?",
        next: { kind: "schedule", from: task.nextAt, nextAt: task.nextAt + 5 * minuteMs }
      })
      yield* (yield* Analyst).remove(owner.principal, task.conversation)
      yield* TestClock.setTime(task.nextAt + 3 * 3_600_000)
      yield* startNode("a", market)
      yield* advanceClock(minuteMs)
      const { messages } = yield* readReports(owner.account.id)
      assert.deepStrictEqual(messages.map(([, , text]) => text), ["Well?", "Because it did."])
    })
  ))

it.effect("fires the other tasks if the store fails to claim some of them", () =>
  Effect.gen(function*() {
    const attemptedAccounts: Array<number> = []
    const runAccounts: Array<number> = []
    const run = ({ task }: Firing) => Effect.sync(() => void runAccounts.push(task))
    const tasks: typeof TaskStore["Service"] = {
      // The type cast is safe, because a sweep needs no other method.
      ...({} as typeof TaskStore["Service"]),
      currentTime: Effect.succeed(begin),
      listDueSchedules: () =>
        Effect.succeed(
          // The type cast is safe, because a sweep reads only these fields of a task.
          ids.map((id) => ({ id, version: 1, nextAt: begin - 1, spec: { every_min: 5 } }) as ScheduleTask)
        ),
      listActiveWatches: () =>
        Effect.succeed(
          ids.map((id) =>
            ({
              id,
              version: 1,
              spec: makePriceWatch("gt", 110).spec,
              prompt: null,
              lang: "en",
              watch: { arming: 1, armed: true, checkedTo: begin - minuteMs, last: 100 }
            }) as WatchTask // a sweep reads only these fields
          )
        ),
      claim: ({ task }) => {
        attemptedAccounts.push(task)
        // The type cast is safe, because a sweep reads only the field `task`.
        return task <= 4 ? Effect.fail(unavailableError) : Effect.succeed({ task } as Firing)
      }
    }
    const ids = Array.from({ length: 12 }, (_, i) => i + 1)
    const free = ids.slice(4)
    const sweepExit = yield* Effect.exit(sweepSchedules(tasks, run))
    assert.deepStrictEqual(runAccounts.splice(0), free)
    const series = { knownUntil: begin, valueAt: () => 120, detailsAt: () => ({}) }
    const timing = yield* TaskTiming
    const readSeries = () => Effect.succeed(new Map([["price coin BTC", series]]))
    const failed = yield* Effect.exit(sweepWatches({ tasks, readSeries, timing, run }, begin))
    assert.deepStrictEqual(runAccounts, free)
    assert.strictEqual(attemptedAccounts.length, 24)
    assert.isTrue(Exit.isFailure(sweepExit) && Exit.isFailure(failed))
  }))

it.effect.runIf(isFullRun)(
  "reads minutes once per sweep even if prices of a coin are missing",
  () =>
    within(({ market, owners: [owner] }) =>
      Effect.gen(function*() {
        const cross = (symbol: string) =>
          ({ kind: "watch", spec: { metric: "vwap_cross", market: "coin", symbol, dir: "above" } }) as const
        yield* createTestTask(ownerOf(owner), cross("BTC"))
        yield* createTestTask(ownerOf(owner), cross("ETH"))
        market.knownUntilByCoin = { BTC: begin + 2 * minuteMs, ETH: begin + 40 * minuteMs }
        yield* startNode("a", market)
        yield* advanceClock(2 * 3_600_000, { stepMs: 60_000 })
        market.reads.length = 0
        yield* advanceClock(3 * minuteMs)
        assert.deepStrictEqual(market.reads, ["minutes", "minutes", "minutes"])
      })
    )
)
