import { assert, it } from "@effect/vitest"
import { Administration, KeyStore, type Principal, type Scope } from "@tapeline/core"
import { Analyst } from "@tapeline/core/agent"
import { pauseUserTasks, type Task, type TaskChange, TaskStore } from "@tapeline/core/personal"
import { createKeyedAccount } from "@tapeline/testing"
import {
  callPart,
  endPart,
  ScriptedModel,
  textPart,
  waitForCue,
  waitForever
} from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { advanceUntilDone, makeAgentEngine, ToolRecorder } from "../agent/agentEngine.ts"
import { now } from "../tools/fakeMarket.ts"
import {
  advanceClock,
  CrashSimulator,
  createTestTask,
  makeStores,
  plans,
  readReports,
  startNode,
  TestMarket
} from "./testNodes.ts"

/* A task that loses its right to read during its firing. */

interface Given {
  readonly account: number
  readonly key: number
  readonly task: Task
}

type Write = { readonly status: "paused" } | "delete"

const write = (change: Write) => ({ account, key, task: { id } }: Given) =>
  Effect.flatMap(TaskStore, (tasks) => {
    const said: TaskChange = change === "delete" ? { _tag: "Delete", id, key } : { _tag: "Update", id, key, ...change }
    return tasks.write(account, "change", said)
  })

const rescope = (...scopes: ReadonlyArray<Scope>) => ({ key }: Given) =>
  Effect.flatMap(Administration, (administration) => administration.updateKey(key, { scopes }))

const revoke = ({ key }: Given) => Effect.flatMap(Administration, (administration) => administration.revokeKey(key))

/** Changes the task with another key of the account, and then revokes the other key. */
const changeByRevoked = Effect.fnUntraced(function*({ account, task: { id } }: Given) {
  const administration = yield* Administration
  const { record } = yield* administration.issueKey({
    account,
    name: "other",
    scopes: ["agent:chat", "write:personal"]
  })
  const tasks = yield* TaskStore
  yield* tasks.write(account, "by another", { _tag: "Update", id, key: record.id, title: "changed" })
  yield* administration.revokeKey(record.id)
})

const pauseAll = ({ account }: Given) => Effect.flatMap(TaskStore, (tasks) => pauseUserTasks(tasks, account))

interface Way {
  readonly way: string
  readonly change: (has: Given) => Effect.Effect<unknown, unknown, Administration>
  readonly isOfUser: boolean
  readonly maxRuns?: number | null
  readonly rings: ReadonlyArray<"task_paused">
}

const ways: ReadonlyArray<Way> = [
  { way: "the task is deleted", change: write("delete"), isOfUser: false, rings: [] },
  { way: "the task is paused", change: write({ status: "paused" }), isOfUser: false, rings: [] },
  { way: "the user pauses all tasks", change: pauseAll, isOfUser: true, rings: [] },
  { way: "the user pauses all tasks in the last run", change: pauseAll, isOfUser: true, maxRuns: 1, rings: [] },
  { way: "the key is revoked", change: revoke, isOfUser: false, rings: ["task_paused"] },
  {
    way: "another key changes the task and is revoked",
    change: changeByRevoked,
    isOfUser: false,
    rings: ["task_paused"]
  },
  { way: "the key loses agent:chat", change: rescope("read:personal"), isOfUser: false, rings: ["task_paused"] }
]

const losesPersonal: Way = {
  way: "the key loses read:personal",
  change: rescope("agent:chat"),
  isOfUser: false,
  rings: []
}

const within = (model: ScriptedModel, recorder: ToolRecorder) => {
  const stores = makeStores(new CrashSimulator())
  return makeAgentEngine(model, { plans, recorder }).pipe(
    Layer.provideMerge(stores),
    Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
  )
}

const schedule = { kind: "schedule", spec: { every_min: 5 } } as const

const given = Effect.fnUntraced(
  function*(
    { isOfUser, maxRuns = null }: Pick<Way, "isOfUser" | "maxRuns">
  ): Effect.fn.Return<Given, unknown, Administration> {
    const { account: { id: account }, record: { id: key } } = yield* createKeyedAccount({
      scopes: ["agent:chat", "read:personal", "write:personal"]
    })
    const task = yield* createTestTask({ account, key: isOfUser ? null : key }, schedule, { maxRuns })
    return { account, key, task }
  }
)

it.effect.each([...ways.filter(({ maxRuns }) => maxRuns === undefined), losesPersonal])(
  "reads no personal records in a task's answer after $way",
  ({ change, isOfUser }) => {
    const doings = new ToolRecorder()
    let takeAway: Effect.Effect<unknown> = Effect.void
    const model = new ScriptedModel((_, n) =>
      n === 0
        ? [callPart("mine"), endPart]
        : n === 1
        ? [waitForCue(Effect.suspend(() => takeAway)), callPart("mine"), endPart]
        : [textPart("so"), endPart]
    )
    return Effect.gen(function*() {
      const has = yield* given({ isOfUser })
      const context = yield* Effect.context<Administration>()
      takeAway = Effect.orDie(Effect.provideContext(change(has), context))
      const principal: Principal = {
        account: has.account,
        actor: { _tag: "Task", task: has.task.id },
        plan: "pro",
        scopes: ["agent:chat", "read:personal"]
      }
      yield* advanceUntilDone((yield* Analyst).answer({ principal, request: { message: "What do I hold?" } }))
      assert.deepStrictEqual(doings.calls, ["mine"])
    }).pipe(Effect.provide(within(model, doings), { local: true }))
  }
)

it.effect.each(ways)("ends a firing within 2 seconds after $way", ({ change, rings, ...of }) => {
  const model = new ScriptedModel(() => [textPart("You hold"), waitForever])
  return Effect.gen(function*() {
    const has = yield* given(of)
    yield* startNode("a", new TestMarket(), { model })
    yield* advanceClock(330_000, { isOver: () => model.openStreams > 0 })
    assert.strictEqual(model.openStreams, 1)
    yield* advanceClock(3_000)
    assert.strictEqual(model.openStreams, 1)
    yield* change(has)
    yield* advanceClock(2_000, { stepMs: 100 })
    assert.strictEqual(model.openStreams, 0)
    const tasks = yield* TaskStore
    assert.deepStrictEqual(yield* tasks.listUnfinished(0, 1), [])
    assert.deepStrictEqual((yield* readReports(has.account)).bell.map(({ kind }) => kind), [...rings])
    const after = yield* tasks.find(has.account, has.task.id)
    if (after !== null) assert.deepInclude(after, { status: "paused", runs: 0 })
  }).pipe(Effect.provide(within(new ScriptedModel(() => [endPart]), new ToolRecorder()), { local: true }))
})

const counting = <Store extends object>(store: Store, counts: Map<string, number>): Store =>
  new Proxy(store, {
    get: (target, name, receiver) => {
      counts.set(String(name), (counts.get(String(name)) ?? 0) + 1)
      return Reflect.get(target, name, receiver)
    }
  })

it.effect("renews a running firing and reads its key and its account once a second", () => {
  const model = new ScriptedModel(() => [textPart("You hold"), waitForever])
  const counts = new Map<string, number>()
  return Effect.gen(function*() {
    const has = yield* given({ isOfUser: false })
    const [tasks, keys] = [counting(yield* TaskStore, counts), counting(yield* KeyStore, counts)]
    yield* startNode("a", new TestMarket(), { model }).pipe(
      Effect.provideService(TaskStore, tasks),
      Effect.provideService(KeyStore, keys)
    )
    yield* advanceClock(330_000, { isOver: () => model.openStreams > 0 })
    assert.strictEqual(model.openStreams, 1)
    yield* advanceClock(2_000)
    counts.clear()
    yield* advanceClock(10_000)
    const counted = ["renew", "find", "key", "account"].map((name) => counts.get(name) ?? 0)
    assert.deepStrictEqual(counted, [10, 0, 10, 10])
    yield* write("delete")(has)
    yield* advanceClock(2_000)
    assert.strictEqual(model.openStreams, 0)
  }).pipe(Effect.provide(within(new ScriptedModel(() => [endPart]), new ToolRecorder()), { local: true }))
})
