import { assert } from "@effect/vitest"
import type { Claim, Task } from "@tapeline/core/personal"
import { Effect } from "effect"
import {
  above,
  type Advance,
  bellOf,
  claim,
  claimOf,
  created,
  end,
  ending,
  fenceOf,
  find,
  fired,
  foundSchedule,
  foundWatch,
  hour,
  hourly,
  minute,
  newAccount,
  onConversations,
  onTasks,
  removed,
  saidIn,
  type TaskTests,
  updated
} from "./fixtures.ts"

/* Claims, fences and ends, as sweeps and runners use them. */

const many = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.all(Array.from({ length: 8 }, () => effect), { concurrency: "unbounded" })

/** Keeps only the given ids, because the store also holds other tests' rows. */
const among = (ids: ReadonlyArray<number>) => (found: ReadonlyArray<{ readonly id: number }>) =>
  found.map(({ id }) => id).filter((id) => ids.includes(id))
const due = (...ids: ReadonlyArray<number>) => Effect.map(onTasks((store) => store.due(10_000)), among(ids))
const watched = (...ids: ReadonlyArray<number>) => Effect.map(onTasks((store) => store.watches(0, 10_000)), among(ids))
const unfinished = (staleMs: number, ...ids: ReadonlyArray<number>) =>
  Effect.map(onTasks((store) => store.unfinished(staleMs, 10_000)), among(ids))

const claiming = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("a schedule is due by the store's clock, the longest first, and fires once", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const second = yield* created(mine, { awaited: { kind: "schedule", spec: { every_min: 50 } }, maxRuns: 2 })
      const [first, paused] = [
        yield* created(mine, { awaited: { kind: "schedule", spec: { every_min: 30 } }, prompt: "why?" }),
        yield* created(mine, { awaited: hourly })
      ]
      yield* updated(mine, paused.id, { status: "paused" })
      const early = yield* foundSchedule(mine, first.id)
      // The claimant's clock does not matter.
      assert.isNull(yield* claim(claimOf(early)))
      assert.deepStrictEqual(yield* due(first.id, second.id, paused.id), [])
      yield* advance(hour + minute)
      assert.deepStrictEqual(yield* due(first.id, second.id, paused.id), [first.id, second.id])
      assert.lengthOf(yield* onTasks((store) => store.due(1)), 1)
      const task = yield* foundSchedule(mine, first.id)
      const came = yield* many(claim(claimOf(task, { question: "why?", missed: 1 })))
      const [firing] = came.flatMap((one) => one ?? [])
      assert.strictEqual(came.filter((one) => one !== null).length, 1)
      const { conversation, id, key, lang, nextAt, title } = task
      assert.deepInclude(firing, {
        task: id,
        account: mine,
        conversation,
        key,
        lang,
        title,
        question: "why?",
        missed: 1
      })
      assert.deepInclude(firing, { epoch: 1, state: "claimed", generation: null, outcome: null, observed: null })
      assert.deepInclude(firing, { due: `at:${nextAt}`, dueAt: nextAt })
      assert.strictEqual(firing!.lateByMs, firing!.claimedAt - nextAt)
      assert.isAtLeast(firing!.lateByMs, 31 * minute)
      const after = yield* foundSchedule(mine, first.id)
      assert.deepStrictEqual(after, { ...task, runs: 1, nextAt: nextAt + 30 * minute })
      // The other schedule fires twice at most.
      yield* fired(yield* foundSchedule(mine, second.id))
      assert.strictEqual((yield* foundSchedule(mine, second.id)).status, "active")
      yield* advance(hour)
      yield* fired(yield* foundSchedule(mine, second.id))
      const done = yield* foundSchedule(mine, second.id)
      assert.deepInclude(done, { status: "done", runs: 2 })
      yield* advance(hour)
      assert.deepStrictEqual(yield* due(second.id), [])
      assert.isNull(yield* claim(claimOf(done)))
    }))
}

const judging = <R>(it: TaskTests<R>): void => {
  it.effect("nothing is claimed of a task that is not as it was read", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const task = yield* created(mine, { maxRuns: 5 })
      const asked = claimOf(task)
      assert.isNull(yield* claim({ ...asked, version: 2 }))
      assert.isNull(yield* claim({ ...asked, task: task.id + 1_000_000 }))
      yield* updated(mine, task.id, { status: "paused" })
      assert.isNull(yield* claim(claimOf(yield* foundWatch(mine, task.id))))
      yield* updated(mine, task.id, { status: "active" })
      assert.isNull(yield* claim(asked), "of an earlier version")
      const anew = yield* foundWatch(mine, task.id)
      assert.deepInclude(anew, { runs: 0, status: "active" })
      const firing = yield* fired(anew)
      assert.deepInclude(firing, { due: "arming:2", observed: { value: 101.5, level: 100 } })
      assert.isNull(yield* claim(claimOf(anew)), "of minutes that were judged")
      const disarmed = yield* foundWatch(mine, task.id)
      assert.deepStrictEqual(disarmed.watch, { arming: 2, armed: false, checkedTo: firing.dueAt, last: 101.5 })
      // As if a clock was set back: the task already fired for this arming, and continues.
      const from = disarmed.watch.checkedTo
      const watch = { ...disarmed.watch, checkedTo: from + minute }
      assert.isNull(
        yield* claim(claimOf(disarmed, { due: "arming:2", next: { kind: "watch", from, watch, restMs: 0 } }))
      )
      assert.deepStrictEqual(yield* foundWatch(mine, task.id), { ...disarmed, watch })
      yield* removed(mine, task.id)
      assert.isNull(yield* claim(claimOf({ ...disarmed, watch })))
    }))
}

const resting = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("a watch that rests after a firing is neither told of nor claimed until it has, unless it is changed", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const restMs = 5 * minute
      const next = (task: Task): Claim => {
        const asked = claimOf(task)
        return asked.next.kind === "watch" ? { ...asked, next: { ...asked.next, restMs } } : asked
      }
      const { id } = yield* created(mine, { maxRuns: 3 })
      const firing = yield* claim(next(yield* foundWatch(mine, id)))
      const held = yield* foundWatch(mine, id)
      assert.deepInclude(held, { runs: 1, status: "active", notBefore: firing!.claimedAt + restMs })
      assert.deepStrictEqual(yield* watched(id), [])
      assert.isNull(yield* claim(next(held)))
      // The end of the firing does not change the rest.
      assert.isNotNull(yield* end(fenceOf(firing!)))
      assert.strictEqual((yield* foundWatch(mine, id)).notBefore, held.notBefore)
      yield* advance(restMs)
      assert.deepStrictEqual(yield* watched(id), [id])
      assert.isNotNull(yield* claim(next(yield* foundWatch(mine, id))))
      const anew = yield* updated(mine, id, { awaited: above(50) })
      assert.isNull(anew.notBefore)
      assert.deepStrictEqual(yield* watched(id), [id])
      // No rest follows the last firing.
      assert.isNotNull(yield* claim(next(yield* foundWatch(mine, id))))
      assert.deepInclude(yield* foundWatch(mine, id), { status: "done", notBefore: null })
    }))
}

const watching = <R>(it: TaskTests<R>): void => {
  it.effect("watches are told in pages, and how far they looked is kept of those that are as they were read", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const tasks = [yield* created(mine), yield* created(mine), yield* created(mine), yield* created(mine)] as const
      const [a, b, c, paused] = [
        yield* foundWatch(mine, tasks[0].id),
        yield* foundWatch(mine, tasks[1].id),
        yield* foundWatch(mine, tasks[2].id),
        yield* updated(mine, tasks[3].id, { status: "paused" })
      ]
      assert.deepStrictEqual(yield* watched(a.id, b.id, c.id, paused.id), [a.id, b.id, c.id])
      const page = yield* onTasks((store) => store.watches(a.id, 1))
      assert.deepStrictEqual(page, [b])
      const to = (task: typeof a, value: number) => ({
        task: task.id,
        version: task.version,
        from: task.watch.checkedTo,
        watch: { arming: 9, armed: false, checkedTo: task.watch.checkedTo + minute, last: value }
      })
      yield* updated(mine, c.id, { title: "changed" })
      const observed = [to(a, 1.5), { ...to(b, 2), from: 1 }, to(c, 3), { ...to(a, 4), task: 9_000_000_000_000 }]
      yield* onTasks((store) => store.observe(observed))
      assert.deepStrictEqual((yield* foundWatch(mine, a.id)).watch, observed[0]!.watch)
      assert.deepStrictEqual((yield* foundWatch(mine, b.id)).watch, b.watch)
      assert.deepStrictEqual((yield* foundWatch(mine, c.id)).watch, c.watch)
      // Results of earlier reads are outdated. A missing value is also a result.
      const on = yield* foundWatch(mine, a.id)
      yield* onTasks((store) => store.observe([{ ...to(a, 5) }]))
      assert.deepStrictEqual(yield* foundWatch(mine, a.id), on)
      yield* onTasks((store) => store.observe([{ ...to(on, 0), watch: { ...on.watch, last: null } }]))
      assert.isNull((yield* foundWatch(mine, a.id)).watch.last)
      yield* onTasks((store) => store.observe([]))
    }))
}

const taking = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("a firing that nobody has renewed is taken by one, and the fence of the one before holds no more", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const task = yield* created(mine)
      const firing = yield* fired(task)
      const fence = fenceOf(firing)
      assert.deepStrictEqual(yield* unfinished(minute, firing.id), [])
      assert.isNull(yield* onTasks((store) => store.take(firing.id, minute)))
      yield* advance(50_000)
      assert.isNotNull(yield* onTasks((store) => store.renew(fence)))
      yield* advance(50_000)
      assert.deepStrictEqual(yield* unfinished(minute, firing.id), [])
      yield* advance(20_000)
      assert.deepStrictEqual(yield* unfinished(minute, firing.id), [firing.id])
      const taken = (yield* many(onTasks((store) => store.take(firing.id, minute)))).flatMap((one) => one ?? [])
      assert.lengthOf(taken, 1)
      assert.deepInclude(taken[0], { id: firing.id, epoch: 2, state: "claimed", title: firing.title })
      assert.isNull(yield* onTasks((store) => store.renew(fence)))
      assert.isFalse(yield* onTasks((store) => store.asked(fence, 7)))
      assert.isNull(yield* onTasks((store) => store.rehouse(fence)))
      assert.isNull(yield* end(fence))
      const own = fenceOf(taken[0]!)
      assert.isTrue(yield* onTasks((store) => store.asked(own, 5_000_000_000)))
      assert.isTrue(yield* onTasks((store) => store.asked(own, 5_000_000_000)))
      yield* advance(2 * minute)
      const again = yield* onTasks((store) => store.take(firing.id, minute))
      assert.deepInclude(again, { epoch: 3, state: "asked", generation: 5_000_000_000 })
      yield* end(fenceOf(again!), { report: null })
      yield* advance(2 * minute)
      assert.deepStrictEqual(yield* unfinished(minute, firing.id), [])
      assert.isNull(yield* onTasks((store) => store.take(firing.id, 0)))
      assert.isNull(yield* onTasks((store) => store.renew(fenceOf(again!))))
    }))
}

const ends = <R>(it: TaskTests<R>): void => {
  it.effect("ends once: its report, its notification and its task's last firing are there together", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const task = yield* created(mine)
      const firing = yield* fired(task)
      const facts = { observed: { value: 1.5 }, lateByMs: 1, missed: 2, answer: null }
      const said = { kind: "task_fired" as const, title: "a task", body: "it is so", facts }
      const came = yield* many(end(fenceOf(firing), { notification: said }))
      const [ended] = came.flatMap((one) => one ?? [])
      assert.strictEqual(came.filter((one) => one !== null).length, 1)
      const { conversation, id } = task
      const { time, ...told } = ended!.notification!
      assert.isAtMost(Math.abs(time - (yield* onTasks((store) => store.time))), minute)
      assert.deepEqual(told, { ...said, n: 1, task: id, conversation, read: false })
      const kept = yield* bellOf(mine)
      assert.deepEqual(kept.notifications.map(({ facts }) => facts), [facts])
      assert.deepStrictEqual(yield* saidIn(mine, conversation), ["task: it is so"])
      const { dueAt, lateByMs } = firing
      assert.deepInclude(yield* find(mine, id), { runs: 1, last: { dueAt, lateByMs, outcome: "reported" }, version: 1 })
    }))

  it.effect("ends for a task that is gone, and in a new conversation when its own is gone", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const [gone, kept] = [yield* created(mine, { title: "gone" }), yield* created(mine, { title: "kept" })]
      const [first, second, third] = [
        yield* fired(gone),
        yield* fired(kept),
        yield* fired(yield* foundWatch(mine, kept.id))
      ]
      yield* removed(mine, gone.id)
      yield* onConversations((store) => store.remove(mine, kept.conversation))
      const ended = yield* end(fenceOf(first))
      assert.isNull(ended!.notification)
      assert.deepStrictEqual(yield* saidIn(mine, gone.conversation), ["task: it is so"])
      // Without a report, no conversation is needed.
      const silent = yield* end(fenceOf(second), { report: null, outcome: "failed" })
      assert.isNull(silent!.notification!.conversation)
      assert.strictEqual((yield* foundWatch(mine, kept.id)).conversation, kept.conversation)
      const told = yield* end(fenceOf(third))
      const { conversation, last } = yield* foundWatch(mine, kept.id)
      assert.strictEqual(told!.notification!.conversation, conversation)
      assert.deepStrictEqual(yield* saidIn(mine, conversation), ["task: it is so"])
      assert.strictEqual((yield* onConversations((store) => store.find(mine, conversation)))?.title, "kept")
      assert.strictEqual(last?.outcome, "reported")
    }))

  it.effect("is given another conversation, and its task with it", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const task = yield* created(mine, { title: "busy", lang: "ko" })
      const firing = yield* fired(task)
      const conversation = yield* onTasks((store) => store.rehouse(fenceOf(firing)))
      assert.notStrictEqual(conversation, task.conversation)
      assert.strictEqual((yield* find(mine, task.id))?.conversation, conversation)
      assert.deepInclude(yield* onConversations((store) => store.find(mine, conversation!)), {
        title: "busy",
        lang: "ko",
        messageCount: 0
      })
      yield* end(fenceOf(firing))
      assert.deepStrictEqual(yield* saidIn(mine, conversation!), ["task: it is so"])
      assert.deepStrictEqual(yield* saidIn(mine, task.conversation), [])
    }))
}

const givingBack = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("a run that is given back arms it again, and holds it back for as long as is said", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const [watch, schedule] = [
        yield* created(mine, { maxRuns: 1 }),
        yield* created(mine, { awaited: hourly, maxRuns: 1 })
      ]
      const firing = yield* fired(watch)
      assert.deepInclude(yield* find(mine, watch.id), { status: "done", runs: 1 })
      const until = (ms: number) =>
        Effect.map(onTasks((store) => store.time), (now) => ({
          outcome: "refused" as const,
          giveBack: { notBefore: now + ms }
        }))
      yield* end(fenceOf(firing), yield* until(hour))
      const held = yield* foundWatch(mine, watch.id)
      assert.deepInclude(held, { status: "active", runs: 0, version: 2 })
      assert.deepInclude(held.watch, { arming: 2, armed: true, checkedTo: firing.dueAt })
      assert.deepStrictEqual(yield* watched(watch.id), [])
      assert.isNull(yield* claim(claimOf(held)))
      yield* advance(hour + minute)
      assert.deepStrictEqual(yield* watched(watch.id), [watch.id])
      const again = yield* fired(yield* foundWatch(mine, watch.id))
      assert.strictEqual(again.due, "arming:2")
      assert.isNull((yield* find(mine, watch.id))?.notBefore)
      yield* end(fenceOf(again))
      assert.deepInclude(yield* find(mine, watch.id), { status: "done", runs: 1 })

      const late = yield* fired(yield* foundSchedule(mine, schedule.id))
      yield* end(fenceOf(late), yield* until(2 * hour))
      assert.deepInclude(yield* find(mine, schedule.id), { status: "active", runs: 0 })
      yield* advance(hour + minute)
      assert.deepStrictEqual(yield* due(schedule.id), [])
      yield* advance(hour)
      assert.deepStrictEqual(yield* due(schedule.id), [schedule.id])
      // A change by the owner ends the wait.
      yield* end(fenceOf(yield* fired(yield* foundSchedule(mine, schedule.id))), yield* until(2 * hour))
      yield* updated(mine, schedule.id, { awaited: { kind: "schedule", spec: { every_min: 5 } } })
      yield* advance(6 * minute)
      assert.deepStrictEqual(yield* due(schedule.id), [schedule.id])
    }))

  it.effect("is paused by an end that says so, whatever it was claimed for", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const task = yield* created(mine, { maxRuns: 1 })
      const firing = yield* fired(task)
      const now = yield* onTasks((store) => store.time)
      const pauses = { key: firing.key }
      yield* end(fenceOf(firing), ending({ outcome: "key_gone", giveBack: { notBefore: now }, pauses }))
      assert.deepInclude(yield* find(mine, task.id), { status: "paused", runs: 0 })
      assert.deepStrictEqual(yield* watched(task.id), [])
      // The end of a firing whose task was changed meanwhile.
      const edited = yield* created(mine)
      const under = yield* fired(edited)
      yield* updated(mine, edited.id, { awaited: above(7), status: "paused" })
      yield* end(fenceOf(under), { outcome: "refused", giveBack: { notBefore: now } })
      assert.deepInclude(yield* find(mine, edited.id), { status: "paused", runs: 0, ...above(7) })
    }))
}

const keeping = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("one leads until it has said nothing for so long", () =>
    Effect.gen(function*() {
      const lead = (holder: string) => onTasks((store) => store.lead(holder, minute))
      yield* advance(2 * minute)
      const came = yield* Effect.all(["a", "b", "c"].map(lead), { concurrency: "unbounded" })
      assert.strictEqual(came.filter((leads) => leads).length, 1)
      const [leader, other] = came[0] === true ? ["a", "b"] : ["b", "a"]
      const holder = came[2] === true ? "c" : leader
      yield* advance(50_000)
      assert.isTrue(yield* lead(holder))
      yield* advance(50_000)
      assert.isFalse(yield* lead(other))
      yield* advance(20_000)
      assert.isTrue(yield* lead(other))
      assert.isFalse(yield* lead(holder))
    }))

  it.effect("drops what ended long ago, and nothing that is under way", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const task = yield* created(mine)
      const [ended, open] = [yield* fired(task), yield* fired(yield* foundWatch(mine, task.id))]
      yield* end(fenceOf(ended))
      const sweep = (keepMs: number) => onTasks((store) => store.sweep(keepMs, 10_000))
      yield* sweep(hour)
      yield* advance(2 * hour)
      assert.strictEqual(yield* onTasks((store) => store.sweep(hour, 0)), 0)
      assert.isAtLeast(yield* sweep(hour), 1)
      assert.strictEqual(yield* sweep(hour), 0)
      assert.deepStrictEqual(yield* unfinished(hour, open.id), [open.id])
      assert.isNotNull(yield* end(fenceOf(open)))
    }))
}

export const firingTasks = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  claiming(it, advance)
  judging(it)
  resting(it, advance)
  watching(it)
  taking(it, advance)
  ends(it)
  givingBack(it, advance)
  keeping(it, advance)
}
