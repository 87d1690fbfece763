import { assert } from "@effect/vitest"
import { taskBounds, writesKeptMs } from "@tapeline/core/personal"
import { Effect } from "effect"
import {
  above,
  type Advance,
  created,
  creating,
  dayMs,
  find,
  foundSchedule,
  foundWatch,
  hourly,
  minute,
  newAccount,
  newCall,
  onConversations,
  onTasks,
  refusalOf,
  removed,
  type TaskTests,
  updated,
  updating,
  write
} from "./fixtures.ts"

/* Changes by the owners of tasks. */

const listed = (account: number, status: "active" | "paused" | "done" | null = null) =>
  Effect.map(onTasks((store) => store.list(account, status)), (tasks) => tasks.map(({ id }) => id))

const keeping = <R>(it: TaskTests<R>): void => {
  it.effect("keeps what was said to the last character and digit, and shows it to nobody else", () =>
    Effect.gen(function*() {
      const [mine, other] = [newAccount(), newAccount()]
      const strange = "a\u0000b \ud800 돌파 «x» \" \\ 🚀 {1,2} '; --"
      const said = { title: strange, prompt: `${strange} ${"p".repeat(3_900)}`, maxRuns: 10_000, key: 5_000_000_000 }
      const price = yield* created(mine, { ...said, awaited: above(1.234_567_890_123_456e-8), lang: "ko" })
      const daily = yield* created(mine, {
        awaited: { kind: "schedule", spec: { at: "23:45", tz_offset_hours: -9.5 } },
        maxRuns: null
      })
      const gap = yield* created(mine, {
        awaited: { kind: "watch", spec: { metric: "gap", market: "coin", symbol: "*", value: 1e21 } }
      })
      assert.deepInclude(price, { ...said, ...above(1.234_567_890_123_456e-8), lang: "ko", account: mine, runs: 0 })
      assert.deepStrictEqual(yield* onTasks((store) => store.list(mine, null)), [gap, daily, price])
      for (const task of [price, daily, gap]) {
        assert.deepStrictEqual(yield* find(mine, task.id), task)
        assert.isNull(yield* find(other, task.id))
        assert.strictEqual(yield* refusalOf(other, updating(task.id, { title: "x" })), "NoSuchTask")
        assert.strictEqual(yield* refusalOf(other, { _tag: "Delete", id: task.id, key: 4 }), "NoSuchTask")
      }
      assert.deepStrictEqual(yield* listed(other), [])
      assert.isNull(yield* find(mine, 9_000_000_000_000))
    }))

  it.effect("opens a conversation that is named after the task, unless it is made in one of the account's", () =>
    Effect.gen(function*() {
      const [mine, other] = [newAccount(), newAccount()]
      const first = yield* created(mine, { title: "BTC above 100", lang: "ru" })
      const conversation = yield* onConversations((store) => store.find(mine, first.conversation))
      assert.deepInclude(conversation, { title: "BTC above 100", lang: "ru", messageCount: 0, running: false })
      const second = yield* created(mine, { conversation: first.conversation })
      assert.strictEqual(second.conversation, first.conversation)
      const strange = yield* created(other, { conversation: first.conversation })
      assert.notStrictEqual(strange.conversation, first.conversation)
      assert.isNotNull(yield* onConversations((store) => store.find(other, strange.conversation)))
      yield* onConversations((store) => store.remove(mine, first.conversation))
      const third = yield* created(mine, { conversation: first.conversation })
      assert.isNotNull(yield* onConversations((store) => store.find(mine, third.conversation)))
    }))

  it.effect("changes what is said and no more; what begins anew begins by its own clock", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const task = yield* created(mine, { prompt: "why?", maxRuns: 3 })
      const titled = yield* updated(mine, task.id, { title: "another", prompt: null, maxRuns: null })
      const said = { title: "another", prompt: null, maxRuns: null, key: 4, version: 2, updatedAt: titled.updatedAt }
      assert.deepStrictEqual(titled, { ...task, ...said })
      yield* updated(mine, task.id, { status: "paused" })
      assert.deepStrictEqual(yield* listed(mine, "paused"), [task.id])
      assert.deepStrictEqual(yield* listed(mine, "active"), [])
      yield* updated(mine, task.id, { status: "active", awaited: above(7) })
      const anew = yield* foundWatch(mine, task.id)
      assert.deepInclude(anew, { ...above(7), version: 4 })
      assert.deepInclude(anew.watch, { arming: 2, armed: true, last: null })
      const now = yield* onTasks((store) => store.time)
      assert.isAtMost(Math.abs(anew.watch.checkedTo - now), 120_000)
      const schedule = yield* created(mine, { awaited: hourly })
      yield* updated(mine, schedule.id, { awaited: { kind: "schedule", spec: { every_min: 43_200 } } })
      const { nextAt } = yield* foundSchedule(mine, schedule.id)
      assert.isAtMost(Math.abs(nextAt - now - 30 * dayMs), 120_000)
      assert.strictEqual(yield* refusalOf(mine, updating(schedule.id, { awaited: above() })), "OtherTaskKind")
      assert.deepStrictEqual(yield* removed(mine, task.id), { _tag: "Deleted", id: task.id })
      assert.isNull(yield* find(mine, task.id))
      assert.deepStrictEqual(yield* listed(mine), [schedule.id])
    }))
}

const once = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("writes once for a call, and gives it what the first write gave", () =>
    Effect.gen(function*() {
      const [mine, other, call] = [newAccount(), newAccount(), newCall()]
      const tasks = yield* Effect.all([1, 2, 3].map(() => created(mine, {}, call)), { concurrency: "unbounded" })
      assert.deepStrictEqual(tasks, [tasks[0]!, tasks[0]!, tasks[0]!])
      assert.lengthOf(yield* listed(mine), 1)
      const [{ id }] = tasks as [typeof tasks[0]] // of three
      yield* removed(mine, id)
      assert.deepStrictEqual(yield* created(mine, { title: "another" }, call), tasks[0])
      assert.lengthOf(yield* listed(mine), 0)
      assert.notStrictEqual((yield* created(other, {}, call)).id, id)
      // A rejected call is checked again.
      const refused = newCall()
      assert.strictEqual(yield* refusalOf(mine, updating(id, { title: "x" }), refused), "NoSuchTask")
      assert.strictEqual((yield* write(mine, creating(), refused))._tag, "Task")
    }))

  it.effect("remembers a call's write for long, and not for ever", () =>
    Effect.gen(function*() {
      const [mine, call] = [newAccount(), newCall()]
      const { id } = yield* created(mine, {}, call)
      yield* advance(writesKeptMs / 2)
      assert.strictEqual((yield* created(mine, {}, call)).id, id)
      yield* advance(writesKeptMs / 2 + 1)
      const anew = yield* created(mine, {}, call)
      assert.isAbove(anew.id, id)
      assert.strictEqual((yield* created(mine, {}, call)).id, anew.id)
    }))
}

const bounds = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("has so many open tasks, also of many that are made at once, and keeps the last that were done", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const ids: Array<number> = []
      while (ids.length < taskBounds.open - 1) ids.push((yield* created(mine)).id)
      const many = yield* Effect.all(Array.from({ length: 4 }, () => Effect.option(created(mine))), {
        concurrency: "unbounded"
      })
      ids.push(...many.flatMap((one) => one._tag === "Some" ? [one.value.id] : []))
      assert.lengthOf(ids, taskBounds.open)
      assert.strictEqual(yield* refusalOf(mine, creating()), "TasksFull")
      const done = (id: number) => updated(mine, id, { maxRuns: 0 })
      // The first task is the last to be done.
      for (const id of ids.slice(1)) yield* done(id)
      yield* advance(minute)
      yield* done(ids[0]!)
      assert.lengthOf(yield* listed(mine, "done"), taskBounds.done)
      const more = yield* created(mine)
      yield* done(more.id)
      const kept = [more.id, ...ids.filter((id) => id !== ids[1]).toReversed()]
      assert.deepStrictEqual(yield* listed(mine, "done"), kept)
      assert.strictEqual((yield* updated(mine, ids[0]!, { maxRuns: 1 })).status, "active")
      assert.deepStrictEqual(yield* listed(mine, "active"), [ids[0]!])
    }))
}

export const changingTasks = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  keeping(it)
  once(it, advance)
  bounds(it, advance)
}
