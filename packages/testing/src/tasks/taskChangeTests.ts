import { assert } from "@effect/vitest"
import { taskLimits, writeRetentionMs } from "@tapeline/core/personal"
import { Effect } from "effect"
import {
  type Advance,
  createTask,
  dayMs,
  findSchedule,
  findTask,
  findWatch,
  getErrorTag,
  hourlySchedule,
  makeCreate,
  makePriceCondition,
  makeUpdate,
  minuteMs,
  newAccount,
  newCall,
  removeTask,
  type TaskTests,
  updateTask,
  useConversationStore,
  useTaskStore,
  writeChange
} from "./fixtures.ts"

const listIds = (account: number, status: "active" | "paused" | "done" | null = null) =>
  Effect.map(useTaskStore((store) => store.list(account, status)), (tasks) => tasks.map(({ id }) => id))

const testTaskStorage = <R>(it: TaskTests<R>): void => {
  it.effect("stores every character and digit of a task, and hides it from other accounts", () =>
    Effect.gen(function*() {
      const [account, other] = [newAccount(), newAccount()]
      const unusualText = "a\u0000b \ud800 돌파 «x» \" \\ 🚀 {1,2} '; --"
      const fields = {
        title: unusualText,
        prompt: `${unusualText} ${"p".repeat(3_900)}`,
        maxRuns: 10_000,
        key: 5_000_000_000
      }
      const priceTask = yield* createTask(account, {
        ...fields,
        trigger: makePriceCondition(1.234_567_890_123_456e-8),
        lang: "ko"
      })
      const dailyTask = yield* createTask(account, {
        trigger: { kind: "schedule", spec: { at: "23:45", tz_offset_hours: -9.5 } },
        maxRuns: null
      })
      const gapTask = yield* createTask(account, {
        trigger: { kind: "watch", spec: { metric: "gap", market: "coin", symbol: "*", value: 1e21 } }
      })
      assert.deepInclude(priceTask, {
        ...fields,
        ...makePriceCondition(1.234_567_890_123_456e-8),
        lang: "ko",
        account,
        runs: 0
      })
      assert.deepStrictEqual(yield* useTaskStore((store) => store.list(account, null)), [gapTask, dailyTask, priceTask])
      for (const task of [priceTask, dailyTask, gapTask]) {
        assert.deepStrictEqual(yield* findTask(account, task.id), task)
        assert.isNull(yield* findTask(other, task.id))
        assert.strictEqual(yield* getErrorTag(other, makeUpdate(task.id, { title: "x" })), "NoSuchTask")
        assert.strictEqual(yield* getErrorTag(other, { _tag: "Delete", id: task.id, key: 4 }), "NoSuchTask")
      }
      assert.deepStrictEqual(yield* listIds(other), [])
      assert.isNull(yield* findTask(account, 9_000_000_000_000))
    }))

  it.effect("opens a conversation named after the task, unless one of the account's is given", () =>
    Effect.gen(function*() {
      const [account, other] = [newAccount(), newAccount()]
      const first = yield* createTask(account, { title: "BTC above 100", lang: "ru" })
      const conversation = yield* useConversationStore((store) => store.find(account, first.conversation))
      assert.deepInclude(conversation, { title: "BTC above 100", lang: "ru", messageCount: 0, running: false })
      const second = yield* createTask(account, { conversation: first.conversation })
      assert.strictEqual(second.conversation, first.conversation)
      const unusualText = yield* createTask(other, { conversation: first.conversation })
      assert.notStrictEqual(unusualText.conversation, first.conversation)
      assert.isNotNull(yield* useConversationStore((store) => store.find(other, unusualText.conversation)))
      yield* useConversationStore((store) => store.remove(account, first.conversation))
      const third = yield* createTask(account, { conversation: first.conversation })
      assert.isNotNull(yield* useConversationStore((store) => store.find(account, third.conversation)))
    }))

  it.effect("changes only the given fields, and restarts a changed trigger by the store's clock", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const task = yield* createTask(account, { prompt: "why?", maxRuns: 3 })
      const updatedTask = yield* updateTask(account, task.id, { title: "another", prompt: null, maxRuns: null })
      const fields = {
        title: "another",
        prompt: null,
        maxRuns: null,
        key: 4,
        version: 2,
        updatedAt: updatedTask.updatedAt
      }
      assert.deepStrictEqual(updatedTask, { ...task, ...fields })
      yield* updateTask(account, task.id, { status: "paused" })
      assert.deepStrictEqual(yield* listIds(account, "paused"), [task.id])
      assert.deepStrictEqual(yield* listIds(account, "active"), [])
      yield* updateTask(account, task.id, { status: "active", trigger: makePriceCondition(7) })
      const rearmedWatch = yield* findWatch(account, task.id)
      assert.deepInclude(rearmedWatch, { ...makePriceCondition(7), version: 4 })
      assert.deepInclude(rearmedWatch.watch, { arming: 2, armed: true, last: null })
      const now = yield* useTaskStore((store) => store.currentTime)
      assert.isAtMost(Math.abs(rearmedWatch.watch.checkedTo - now), 120_000)
      const schedule = yield* createTask(account, { trigger: hourlySchedule })
      yield* updateTask(account, schedule.id, { trigger: { kind: "schedule", spec: { every_min: 43_200 } } })
      const { nextAt } = yield* findSchedule(account, schedule.id)
      assert.isAtMost(Math.abs(nextAt - now - 30 * dayMs), 120_000)
      assert.strictEqual(
        yield* getErrorTag(account, makeUpdate(schedule.id, { trigger: makePriceCondition() })),
        "OtherTaskKind"
      )
      assert.deepStrictEqual(yield* removeTask(account, task.id), { _tag: "Deleted", id: task.id })
      assert.isNull(yield* findTask(account, task.id))
      assert.deepStrictEqual(yield* listIds(account), [schedule.id])
    }))
}

const testIdempotence = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("writes once per call, and returns the first write's result to a repeated call", () =>
    Effect.gen(function*() {
      const [account, other, call] = [newAccount(), newAccount(), newCall()]
      const tasks = yield* Effect.all([1, 2, 3].map(() => createTask(account, {}, call)), { concurrency: "unbounded" })
      assert.deepStrictEqual(tasks, [tasks[0]!, tasks[0]!, tasks[0]!])
      assert.lengthOf(yield* listIds(account), 1)
      const [{ id }] = tasks as [typeof tasks[0]] // `tasks` has three elements
      yield* removeTask(account, id)
      assert.deepStrictEqual(yield* createTask(account, { title: "another" }, call), tasks[0])
      assert.lengthOf(yield* listIds(account), 0)
      assert.notStrictEqual((yield* createTask(other, {}, call)).id, id)
      // A rejected call is decided again when the call is repeated.
      const rejectedCall = newCall()
      assert.strictEqual(yield* getErrorTag(account, makeUpdate(id, { title: "x" }), rejectedCall), "NoSuchTask")
      assert.strictEqual((yield* writeChange(account, makeCreate(), rejectedCall))._tag, "Task")
    }))

  it.effect("remembers a call's result for its retention time", () =>
    Effect.gen(function*() {
      const [account, call] = [newAccount(), newCall()]
      const { id } = yield* createTask(account, {}, call)
      yield* advance(writeRetentionMs / 2)
      assert.strictEqual((yield* createTask(account, {}, call)).id, id)
      yield* advance(writeRetentionMs / 2 + 1)
      const repeatedTask = yield* createTask(account, {}, call)
      assert.isAbove(repeatedTask.id, id)
      assert.strictEqual((yield* createTask(account, {}, call)).id, repeatedTask.id)
    }))
}

const testLimits = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("limits open tasks, also under concurrency, and keeps the most recent done tasks", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const ids: Array<number> = []
      while (ids.length < taskLimits.open - 1) ids.push((yield* createTask(account)).id)
      const results = yield* Effect.all(Array.from({ length: 4 }, () => Effect.option(createTask(account))), {
        concurrency: "unbounded"
      })
      ids.push(...results.flatMap((one) => one._tag === "Some" ? [one.value.id] : []))
      assert.lengthOf(ids, taskLimits.open)
      assert.strictEqual(yield* getErrorTag(account, makeCreate()), "TasksFull")
      const finishTask = (id: number) => updateTask(account, id, { maxRuns: 0 })
      // The first task is finished last.
      for (const id of ids.slice(1)) yield* finishTask(id)
      yield* advance(minuteMs)
      yield* finishTask(ids[0]!)
      assert.lengthOf(yield* listIds(account, "done"), taskLimits.done)
      const laterTask = yield* createTask(account)
      yield* finishTask(laterTask.id)
      const remainingIds = [laterTask.id, ...ids.filter((id) => id !== ids[1]).toReversed()]
      assert.deepStrictEqual(yield* listIds(account, "done"), remainingIds)
      assert.strictEqual((yield* updateTask(account, ids[0]!, { maxRuns: 1 })).status, "active")
      assert.deepStrictEqual(yield* listIds(account, "active"), [ids[0]!])
    }))
}

export const testTaskChanges = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  testTaskStorage(it)
  testIdempotence(it, advance)
  testLimits(it, advance)
}
