import { assert } from "@effect/vitest"
import type { Claim, Task } from "@tapeline/core/personal"
import { Effect } from "effect"
import {
  type Advance,
  claimTask,
  createTask,
  endFiring,
  findSchedule,
  findTask,
  findWatch,
  fireTask,
  getFence,
  hourlySchedule,
  hourMs,
  makeClaim,
  makeFiringEnd,
  makePriceCondition,
  minuteMs,
  newAccount,
  readMessages,
  readNotifications,
  removeTask,
  type TaskTests,
  updateTask,
  useConversationStore,
  useTaskStore
} from "./fixtures.ts"

const runConcurrently = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.all(Array.from({ length: 8 }, () => effect), { concurrency: "unbounded" })

/**
 * Returns a function that selects the rows with the given ids. The selection is necessary, because the store also
 * contains rows of other tests.
 */
const selectIds = (ids: ReadonlyArray<number>) => (found: ReadonlyArray<{ readonly id: number }>) =>
  found.map(({ id }) => id).filter((id) => ids.includes(id))
const readDueIds = (...ids: ReadonlyArray<number>) =>
  Effect.map(useTaskStore((store) => store.listDueSchedules(10_000)), selectIds(ids))
const readWatchIds = (...ids: ReadonlyArray<number>) =>
  Effect.map(useTaskStore((store) => store.listActiveWatches(0, 10_000)), selectIds(ids))
const readUnfinishedIds = (staleMs: number, ...ids: ReadonlyArray<number>) =>
  Effect.map(useTaskStore((store) => store.listUnfinished(staleMs, 10_000)), selectIds(ids))

const testClaims = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("lists schedules that are due by the store's clock, longest first, and fires each once", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const second = yield* createTask(account, { trigger: { kind: "schedule", spec: { every_min: 50 } }, maxRuns: 2 })
      const [first, paused] = [
        yield* createTask(account, { trigger: { kind: "schedule", spec: { every_min: 30 } }, prompt: "why?" }),
        yield* createTask(account, { trigger: hourlySchedule })
      ]
      yield* updateTask(account, paused.id, { status: "paused" })
      const earlySchedule = yield* findSchedule(account, first.id)
      // The store ignores the clock of the caller that claims the firing.
      assert.isNull(yield* claimTask(makeClaim(earlySchedule)))
      assert.deepStrictEqual(yield* readDueIds(first.id, second.id, paused.id), [])
      yield* advance(hourMs + minuteMs)
      assert.deepStrictEqual(yield* readDueIds(first.id, second.id, paused.id), [first.id, second.id])
      assert.lengthOf(yield* useTaskStore((store) => store.listDueSchedules(1)), 1)
      const task = yield* findSchedule(account, first.id)
      const results = yield* runConcurrently(claimTask(makeClaim(task, { question: "why?", missed: 1 })))
      const [firing] = results.flatMap((one) => one ?? [])
      assert.strictEqual(results.filter((one) => one !== null).length, 1)
      const { conversation, id, key, lang, nextAt, title } = task
      assert.deepInclude(firing, {
        task: id,
        account,
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
      assert.isAtLeast(firing!.lateByMs, 31 * minuteMs)
      const after = yield* findSchedule(account, first.id)
      assert.deepStrictEqual(after, { ...task, runs: 1, nextAt: nextAt + 30 * minuteMs })
      // The second schedule runs at most twice.
      yield* fireTask(yield* findSchedule(account, second.id))
      assert.strictEqual((yield* findSchedule(account, second.id)).status, "active")
      yield* advance(hourMs)
      yield* fireTask(yield* findSchedule(account, second.id))
      const doneSchedule = yield* findSchedule(account, second.id)
      assert.deepInclude(doneSchedule, { status: "done", runs: 2 })
      yield* advance(hourMs)
      assert.deepStrictEqual(yield* readDueIds(second.id), [])
      assert.isNull(yield* claimTask(makeClaim(doneSchedule)))
    }))
}

const testClaimValidation = <R>(it: TaskTests<R>): void => {
  it.effect("rejects a claim of a task that changed since it was read", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const task = yield* createTask(account, { maxRuns: 5 })
      const claimRequest = makeClaim(task)
      assert.isNull(yield* claimTask({ ...claimRequest, version: 2 }))
      assert.isNull(yield* claimTask({ ...claimRequest, task: task.id + 1_000_000 }))
      yield* updateTask(account, task.id, { status: "paused" })
      assert.isNull(yield* claimTask(makeClaim(yield* findWatch(account, task.id))))
      yield* updateTask(account, task.id, { status: "active" })
      assert.isNull(yield* claimTask(claimRequest), "a claim of an earlier version")
      const rearmedWatch = yield* findWatch(account, task.id)
      assert.deepInclude(rearmedWatch, { runs: 0, status: "active" })
      const firing = yield* fireTask(rearmedWatch)
      assert.deepInclude(firing, { due: "arming:2", observed: { value: 101.5, level: 100 } })
      assert.isNull(yield* claimTask(makeClaim(rearmedWatch)), "a claim of minutes that were already checked")
      const disarmed = yield* findWatch(account, task.id)
      assert.deepStrictEqual(disarmed.watch, { arming: 2, armed: false, checkedTo: firing.dueAt, last: 101.5 })
      // The task has already fired for this arming. The repeated claim simulates a clock that was set back.
      const from = disarmed.watch.checkedTo
      const watch = { ...disarmed.watch, checkedTo: from + minuteMs }
      assert.isNull(
        yield* claimTask(makeClaim(disarmed, { due: "arming:2", next: { kind: "watch", from, watch, cooldownMs: 0 } }))
      )
      assert.deepStrictEqual(yield* findWatch(account, task.id), { ...disarmed, watch })
      yield* removeTask(account, task.id)
      assert.isNull(yield* claimTask(makeClaim({ ...disarmed, watch })))
    }))
}

const testRestTime = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("hides a watch from lists and claims during its cooldown, unless the watch is changed", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const cooldownMs = 5 * minuteMs
      const makeCooldownClaim = (task: Task): Claim => {
        const claimRequest = makeClaim(task)
        return claimRequest.next.kind === "watch"
          ? { ...claimRequest, next: { ...claimRequest.next, cooldownMs } }
          : claimRequest
      }
      const { id } = yield* createTask(account, { maxRuns: 3 })
      const firing = yield* claimTask(makeCooldownClaim(yield* findWatch(account, id)))
      const taskInCooldown = yield* findWatch(account, id)
      assert.deepInclude(taskInCooldown, { runs: 1, status: "active", notBefore: firing!.claimedAt + cooldownMs })
      assert.deepStrictEqual(yield* readWatchIds(id), [])
      assert.isNull(yield* claimTask(makeCooldownClaim(taskInCooldown)))
      assert.isNotNull(yield* endFiring(getFence(firing!)))
      assert.strictEqual((yield* findWatch(account, id)).notBefore, taskInCooldown.notBefore)
      yield* advance(cooldownMs)
      assert.deepStrictEqual(yield* readWatchIds(id), [id])
      assert.isNotNull(yield* claimTask(makeCooldownClaim(yield* findWatch(account, id))))
      const rearmedWatch = yield* updateTask(account, id, { trigger: makePriceCondition(50) })
      assert.isNull(rearmedWatch.notBefore)
      assert.deepStrictEqual(yield* readWatchIds(id), [id])
      assert.isNotNull(yield* claimTask(makeCooldownClaim(yield* findWatch(account, id))))
      assert.deepInclude(yield* findWatch(account, id), { status: "done", notBefore: null })
    }))
}

const testObservations = <R>(it: TaskTests<R>): void => {
  it.effect("lists watches in pages, and stores the state of watches that did not change", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const tasks = [
        yield* createTask(account),
        yield* createTask(account),
        yield* createTask(account),
        yield* createTask(account)
      ] as const
      const [a, b, c, paused] = [
        yield* findWatch(account, tasks[0].id),
        yield* findWatch(account, tasks[1].id),
        yield* findWatch(account, tasks[2].id),
        yield* updateTask(account, tasks[3].id, { status: "paused" })
      ]
      assert.deepStrictEqual(yield* readWatchIds(a.id, b.id, c.id, paused.id), [a.id, b.id, c.id])
      const page = yield* useTaskStore((store) => store.listActiveWatches(a.id, 1))
      assert.deepStrictEqual(page, [b])
      const makeObservation = (task: typeof a, value: number) => ({
        task: task.id,
        version: task.version,
        previousCheckedTo: task.watch.checkedTo,
        watch: { arming: 9, armed: false, checkedTo: task.watch.checkedTo + minuteMs, last: value }
      })
      yield* updateTask(account, c.id, { title: "changed" })
      const observed = [
        makeObservation(a, 1.5),
        { ...makeObservation(b, 2), previousCheckedTo: 1 },
        makeObservation(c, 3),
        {
          ...makeObservation(a, 4),
          task: 9_000_000_000_000
        }
      ]
      yield* useTaskStore((store) => store.storeWatchStates(observed))
      assert.deepStrictEqual((yield* findWatch(account, a.id)).watch, observed[0]!.watch)
      assert.deepStrictEqual((yield* findWatch(account, b.id)).watch, b.watch)
      assert.deepStrictEqual((yield* findWatch(account, c.id)).watch, c.watch)
      // A write that is based on an earlier read has no effect. The observation has no effect, because it is based on
      // an earlier read. A missing value counts as an observation, too.
      const observedTask = yield* findWatch(account, a.id)
      yield* useTaskStore((store) => store.storeWatchStates([{ ...makeObservation(a, 5) }]))
      assert.deepStrictEqual(yield* findWatch(account, a.id), observedTask)
      yield* useTaskStore((store) =>
        store.storeWatchStates([{ ...makeObservation(observedTask, 0), watch: { ...observedTask.watch, last: null } }])
      )
      assert.isNull((yield* findWatch(account, a.id)).watch.last)
      yield* useTaskStore((store) => store.storeWatchStates([]))
    }))
}

const testTakeover = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("lets one runner take a firing that was not renewed, and invalidates the previous fence", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const task = yield* createTask(account)
      const firing = yield* fireTask(task)
      const fence = getFence(firing)
      assert.deepStrictEqual(yield* readUnfinishedIds(minuteMs, firing.id), [])
      assert.isNull(yield* useTaskStore((store) => store.take(firing.id, minuteMs)))
      yield* advance(50_000)
      assert.isNotNull(yield* useTaskStore((store) => store.renew(fence)))
      yield* advance(50_000)
      assert.deepStrictEqual(yield* readUnfinishedIds(minuteMs, firing.id), [])
      yield* advance(20_000)
      assert.deepStrictEqual(yield* readUnfinishedIds(minuteMs, firing.id), [firing.id])
      const takenFirings = (yield* runConcurrently(useTaskStore((store) => store.take(firing.id, minuteMs)))).flatMap((
        one
      ) => one ?? [])
      assert.lengthOf(takenFirings, 1)
      assert.deepInclude(takenFirings[0], { id: firing.id, epoch: 2, state: "claimed", title: firing.title })
      assert.isNull(yield* useTaskStore((store) => store.renew(fence)))
      assert.isFalse(yield* useTaskStore((store) => store.recordGeneration(fence, 7)))
      assert.isNull(yield* useTaskStore((store) => store.assignNewConversation(fence)))
      assert.isNull(yield* endFiring(fence))
      const currentFence = getFence(takenFirings[0]!)
      assert.isTrue(yield* useTaskStore((store) => store.recordGeneration(currentFence, 5_000_000_000)))
      assert.isTrue(yield* useTaskStore((store) => store.recordGeneration(currentFence, 5_000_000_000)))
      yield* advance(2 * minuteMs)
      const takenAgain = yield* useTaskStore((store) => store.take(firing.id, minuteMs))
      assert.deepInclude(takenAgain, { epoch: 3, state: "asked", generation: 5_000_000_000 })
      yield* endFiring(getFence(takenAgain!), { report: null })
      yield* advance(2 * minuteMs)
      assert.deepStrictEqual(yield* readUnfinishedIds(minuteMs, firing.id), [])
      assert.isNull(yield* useTaskStore((store) => store.take(firing.id, 0)))
      assert.isNull(yield* useTaskStore((store) => store.renew(getFence(takenAgain!))))
    }))
}

const testFiringEnds = <R>(it: TaskTests<R>): void => {
  it.effect("ends a firing once, and stores report, notification and the task's last firing together", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const task = yield* createTask(account)
      const firing = yield* fireTask(task)
      const facts = { observed: { value: 1.5 }, lateByMs: 1, missed: 2, answer: null }
      const notification = { kind: "task_fired" as const, title: "a task", body: "it is so", facts }
      const results = yield* runConcurrently(endFiring(getFence(firing), { notification }))
      const [endResult] = results.flatMap((one) => one ?? [])
      assert.strictEqual(results.filter((one) => one !== null).length, 1)
      const { conversation, id } = task
      const { time, ...storedNotification } = endResult!.notification!
      assert.isAtMost(Math.abs(time - (yield* useTaskStore((store) => store.currentTime))), minuteMs)
      assert.deepEqual(storedNotification, { ...notification, n: 1, task: id, conversation, read: false })
      const notifications = yield* readNotifications(account)
      assert.deepEqual(notifications.notifications.map(({ facts }) => facts), [facts])
      assert.deepStrictEqual(yield* readMessages(account, conversation), ["task: it is so"])
      const { dueAt, lateByMs } = firing
      assert.deepInclude(yield* findTask(account, id), {
        runs: 1,
        last: { dueAt, lateByMs, outcome: "reported" },
        version: 1
      })
    }))

  it.effect("ends a firing of a deleted task, and uses a new conversation if its own was removed", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const [deletedTask, remainingTask] = [
        yield* createTask(account, { title: "gone" }),
        yield* createTask(account, { title: "kept" })
      ]
      const [first, second, third] = [
        yield* fireTask(deletedTask),
        yield* fireTask(remainingTask),
        yield* fireTask(yield* findWatch(account, remainingTask.id))
      ]
      yield* removeTask(account, deletedTask.id)
      yield* useConversationStore((store) => store.remove(account, remainingTask.conversation))
      const endResult = yield* endFiring(getFence(first))
      assert.isNull(endResult!.notification)
      assert.deepStrictEqual(yield* readMessages(account, deletedTask.conversation), ["task: it is so"])
      const endWithoutReport = yield* endFiring(getFence(second), { report: null, outcome: "failed" })
      assert.isNull(endWithoutReport!.notification!.conversation)
      assert.strictEqual((yield* findWatch(account, remainingTask.id)).conversation, remainingTask.conversation)
      const storedNotification = yield* endFiring(getFence(third))
      const { conversation, last } = yield* findWatch(account, remainingTask.id)
      assert.strictEqual(storedNotification!.notification!.conversation, conversation)
      assert.deepStrictEqual(yield* readMessages(account, conversation), ["task: it is so"])
      assert.strictEqual((yield* useConversationStore((store) => store.find(account, conversation)))?.title, "kept")
      assert.strictEqual(last?.outcome, "reported")
    }))

  it.effect("assigns a new conversation to a firing and to its task", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const task = yield* createTask(account, { title: "busy", lang: "ko" })
      const firing = yield* fireTask(task)
      const conversation = yield* useTaskStore((store) => store.assignNewConversation(getFence(firing)))
      assert.notStrictEqual(conversation, task.conversation)
      assert.strictEqual((yield* findTask(account, task.id))?.conversation, conversation)
      assert.deepInclude(yield* useConversationStore((store) => store.find(account, conversation!)), {
        title: "busy",
        lang: "ko",
        messageCount: 0
      })
      yield* endFiring(getFence(firing))
      assert.deepStrictEqual(yield* readMessages(account, conversation!), ["task: it is so"])
      assert.deepStrictEqual(yield* readMessages(account, task.conversation), [])
    }))
}

const testRefundedRuns = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("returns the run of a rejected firing to its task, and lets the task fire again after the given time", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const [watch, schedule] = [
        yield* createTask(account, { maxRuns: 1 }),
        yield* createTask(account, { trigger: hourlySchedule, maxRuns: 1 })
      ]
      const firing = yield* fireTask(watch)
      assert.deepInclude(yield* findTask(account, watch.id), { status: "done", runs: 1 })
      const makeRefund = (ms: number) =>
        Effect.map(useTaskStore((store) => store.currentTime), (now) => ({
          outcome: "refused" as const,
          returnRun: { notBefore: now + ms }
        }))
      yield* endFiring(getFence(firing), yield* makeRefund(hourMs))
      const returnedTask = yield* findWatch(account, watch.id)
      assert.deepInclude(returnedTask, { status: "active", runs: 0, version: 2 })
      assert.deepInclude(returnedTask.watch, { arming: 2, armed: true, checkedTo: firing.dueAt })
      assert.deepStrictEqual(yield* readWatchIds(watch.id), [])
      assert.isNull(yield* claimTask(makeClaim(returnedTask)))
      yield* advance(hourMs + minuteMs)
      assert.deepStrictEqual(yield* readWatchIds(watch.id), [watch.id])
      const takenAgain = yield* fireTask(yield* findWatch(account, watch.id))
      assert.strictEqual(takenAgain.due, "arming:2")
      assert.isNull((yield* findTask(account, watch.id))?.notBefore)
      yield* endFiring(getFence(takenAgain))
      assert.deepInclude(yield* findTask(account, watch.id), { status: "done", runs: 1 })

      const delayedFiring = yield* fireTask(yield* findSchedule(account, schedule.id))
      yield* endFiring(getFence(delayedFiring), yield* makeRefund(2 * hourMs))
      assert.deepInclude(yield* findTask(account, schedule.id), { status: "active", runs: 0 })
      yield* advance(hourMs + minuteMs)
      assert.deepStrictEqual(yield* readDueIds(schedule.id), [])
      yield* advance(hourMs)
      assert.deepStrictEqual(yield* readDueIds(schedule.id), [schedule.id])
      yield* endFiring(
        getFence(yield* fireTask(yield* findSchedule(account, schedule.id))),
        yield* makeRefund(2 * hourMs)
      )
      yield* updateTask(account, schedule.id, { trigger: { kind: "schedule", spec: { every_min: 5 } } })
      yield* advance(6 * minuteMs)
      assert.deepStrictEqual(yield* readDueIds(schedule.id), [schedule.id])
    }))

  it.effect("pauses the task if the end of a firing requests it", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const task = yield* createTask(account, { maxRuns: 1 })
      const firing = yield* fireTask(task)
      const now = yield* useTaskStore((store) => store.currentTime)
      const pauseTask = { key: firing.key }
      yield* endFiring(
        getFence(firing),
        makeFiringEnd({ outcome: "key_gone", returnRun: { notBefore: now }, pauseTask })
      )
      assert.deepInclude(yield* findTask(account, task.id), { status: "paused", runs: 0 })
      assert.deepStrictEqual(yield* readWatchIds(task.id), [])
      // The owner changes the task before the firing of the changed task ends.
      const editedTask = yield* createTask(account)
      const firingOfEdited = yield* fireTask(editedTask)
      yield* updateTask(account, editedTask.id, { trigger: makePriceCondition(7), status: "paused" })
      yield* endFiring(getFence(firingOfEdited), { outcome: "refused", returnRun: { notBefore: now } })
      assert.deepInclude(yield* findTask(account, editedTask.id), {
        status: "paused",
        runs: 0,
        ...makePriceCondition(7)
      })
    }))
}

const testLeadAndSweep = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("elects one leader until its lease expires", () =>
    Effect.gen(function*() {
      const takeLead = (holder: string) => useTaskStore((store) => store.acquireLeadership(holder, minuteMs))
      yield* advance(2 * minuteMs)
      const results = yield* Effect.all(["a", "b", "c"].map(takeLead), { concurrency: "unbounded" })
      assert.strictEqual(results.filter((isLeader) => isLeader).length, 1)
      const [leader, other] = results[0] === true ? ["a", "b"] : ["b", "a"]
      const holder = results[2] === true ? "c" : leader
      yield* advance(50_000)
      assert.isTrue(yield* takeLead(holder))
      yield* advance(50_000)
      assert.isFalse(yield* takeLead(other))
      yield* advance(20_000)
      assert.isTrue(yield* takeLead(other))
      assert.isFalse(yield* takeLead(holder))
    }))

  it.effect("deletes firings that ended long ago, and no running ones", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const task = yield* createTask(account)
      const [endedFiring, open] = [yield* fireTask(task), yield* fireTask(yield* findWatch(account, task.id))]
      yield* endFiring(getFence(endedFiring))
      const sweep = (keepMs: number) => useTaskStore((store) => store.sweep(keepMs, 10_000))
      yield* sweep(hourMs)
      yield* advance(2 * hourMs)
      assert.strictEqual(yield* useTaskStore((store) => store.sweep(hourMs, 0)), 0)
      assert.isAtLeast(yield* sweep(hourMs), 1)
      assert.strictEqual(yield* sweep(hourMs), 0)
      assert.deepStrictEqual(yield* readUnfinishedIds(hourMs, open.id), [open.id])
      assert.isNotNull(yield* endFiring(getFence(open)))
    }))
}

export const testFirings = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  testClaims(it, advance)
  testClaimValidation(it)
  testRestTime(it, advance)
  testObservations(it)
  testTakeover(it, advance)
  testFiringEnds(it)
  testRefundedRuns(it, advance)
  testLeadAndSweep(it, advance)
}
