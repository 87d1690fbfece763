import { assert, describe, it } from "@effect/vitest"
import {
  applyClaim,
  applyEnd,
  type Claim,
  collapseMissed,
  computeNextDue,
  decideTask,
  evaluateMinutes,
  type FiringEnd,
  makeWatchState,
  type MinuteValue,
  type ScheduleTask,
  type Task,
  type TaskChange,
  taskLimits,
  type TaskTrigger,
  type WatchOp,
  type WatchSpec
} from "@tapeline/core/personal"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Result } from "effect"
import * as fc from "fast-check"

const numRuns = isFullRun ? 20_000 : 500
const [minute, day] = [60_000, 86_400_000]

const offset = fc.integer({ min: -48, max: 56 }).map((quarters) => quarters / 4)
const at = fc.integer({ min: 0, max: 1_439 }).map((n) =>
  `${String(Math.floor(n / 60)).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}`
)
/** Times from 1970 up to times whose number of seconds exceeds 32 bits. */
const time = fc.integer({ min: 0, max: 5_000_000_000_000 })
const interval = fc.integer({ min: 5, max: 43_200 }).map((every_min) => ({ every_min }))
const ofDay = fc.record({ at, tz_offset_hours: offset })

describe("Due times of schedules", () => {
  it("computes the next local time of day in the offset, after now and within a day", () =>
    fc.assert(
      fc.property(ofDay, time, (spec, after) => {
        const due = computeNextDue(spec, after)
        const wall = new Date(due + spec.tz_offset_hours * 3_600_000).toISOString()
        assert.strictEqual(wall.slice(11), `${spec.at}:00.000Z`)
        assert.isAbove(due, after)
        assert.isAtMost(due, after + day)
      }),
      { numRuns }
    ))

  it("handles month ends, leap days and extreme offsets", () => {
    const cases = [
      ["09:00", 9, "2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00.000Z"],
      ["09:00", 9, "2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z"],
      ["23:45", -12, "2028-02-29T11:00:00.000Z", "2028-02-29T11:45:00.000Z"],
      ["00:00", 14, "2026-12-31T10:00:00.000Z", "2027-01-01T10:00:00.000Z"],
      ["06:30", 5.75, "2026-01-31T00:45:00.000Z", "2026-02-01T00:45:00.000Z"],
      ["06:30", -3.5, "2026-01-31T00:45:00.000Z", "2026-01-31T10:00:00.000Z"],
      // On this day, New York changed to daylight saving time, but the schedule's offset from UTC is fixed.
      ["02:30", -5, "2026-03-08T07:00:00.000Z", "2026-03-08T07:30:00.000Z"]
    ] as const
    for (const [at, tz_offset_hours, after, due] of cases) {
      assert.strictEqual(new Date(computeNextDue({ at, tz_offset_hours }, Date.parse(after))).toISOString(), due)
    }
  })

  it("collapses missed times into one firing at the last of them, without shifting the schedule", () =>
    fc.assert(
      fc.property(
        fc.oneof(ofDay, interval),
        time,
        fc.integer({ min: -day, max: 400 * day }),
        (spec, createdAt, waited) => {
          const nextAt = computeNextDue(spec, createdAt)
          const now = Math.max(createdAt, nextAt + waited)
          const due = collapseMissed(spec, nextAt, now)
          if (due === null) return assert.isAbove(nextAt, now)
          let [passedDue, next] = [nextAt, computeNextDue(spec, nextAt)]
          let missed = 0
          for (; next <= now && missed < 1_000; missed++) [passedDue, next] = [next, computeNextDue(spec, next)]
          if (missed < 1_000) assert.deepStrictEqual(due, { dueAt: passedDue, missed, nextAt: next })
          assert.isAtMost(due.dueAt, now)
          assert.isAbove(due.nextAt, now)
        }
      ),
      { numRuns }
    ))
})

const price = (op: WatchOp, value = 100): WatchSpec => ({ metric: "price", market: "coin", symbol: "BTC", op, value })
const minutes = (values: ReadonlyArray<number | null>, from = 0): ReadonlyArray<MinuteValue> =>
  values.map((value, i) => ({ end: from + (i + 1) * minute, value }))
const values = fc.array(fc.option(fc.constantFrom(98, 99, 100, 101, 102), { freq: 6 }), { maxLength: 30 })
const op = fc.constantFrom<ReadonlyArray<WatchOp>[number]>("gt", "gte", "lt", "lte", "cross_above", "cross_below")

/** Returns the firings that occur if each minute is evaluated at its end. */
const onebyone = (spec: WatchSpec, all: ReadonlyArray<MinuteValue>) => {
  let watch = makeWatchState(0, 1)
  const firings = all.flatMap((one) => {
    const evaluation = evaluateMinutes(watch, spec, [one])
    watch = evaluation.watch
    return evaluation.firing ?? []
  })
  return { watch, firings }
}

describe("Watch evaluation", () => {
  const firesAt = (spec: WatchSpec, prices: ReadonlyArray<number | null>) =>
    onebyone(spec, minutes(prices)).firings.map(({ arming, dueAt }) => [dueAt / minute, arming])

  it("fires once while the condition stays true, and again only after it was false", () => {
    assert.deepStrictEqual(firesAt(price("gt"), [101, 102, 101]), [[1, 1]])
    assert.deepStrictEqual(firesAt(price("gt"), [99, 101, 100, 101, 102, 99, 98, 101]), [[2, 1], [4, 2], [8, 3]])
    assert.deepStrictEqual(firesAt(price("gte"), [100, 99, 100]), [[1, 1], [3, 2]])
    assert.deepStrictEqual(firesAt(price("lt"), [100, 99, 98, 100, 99]), [[2, 1], [5, 2]])
    assert.deepStrictEqual(firesAt(price("lte"), [101, 100]), [[2, 1]])
  })

  it("detects a crossing against the last minute with a value, and fires once for each crossing", () => {
    assert.deepStrictEqual(firesAt(price("cross_above"), [101, 102]), [])
    assert.deepStrictEqual(firesAt(price("cross_above"), [100, 101, 99, 101, 101, 100, 101]), [[2, 1], [4, 2], [7, 3]])
    assert.deepStrictEqual(firesAt(price("cross_below"), [101, 99, 101, 99]), [[2, 1], [4, 2]])
    assert.deepStrictEqual(firesAt(price("cross_above"), [99, null, null, 101]), [[4, 1]])
    const vwap: WatchSpec = { metric: "vwap_cross", market: "coin", symbol: "BTC", dir: "below" }
    assert.deepStrictEqual(firesAt(vwap, [0.5, -0.5, -1, 0.1, 0, -0.1]), [[2, 1], [6, 2]])
    const gap: WatchSpec = { metric: "gap", market: "coin", symbol: "*", value: 5 }
    assert.deepStrictEqual(firesAt(gap, [4.9, 5, 6, 4, 5.1]), [[2, 1], [5, 2]])
  })

  it("neither arms nor fires for a minute without a value", () => {
    assert.deepStrictEqual(firesAt(price("gt"), [101, null, 101, NaN, 101]), [[1, 1]])
    assert.deepStrictEqual(onebyone(price("gt"), minutes([null, null])).watch, {
      arming: 1,
      armed: true,
      checkedTo: 2 * minute,
      last: null
    })
  })

  it("uses minutes before the watch began only as the previous value", () => {
    const initialState = makeWatchState(3 * minute + 30_000, 1)
    assert.strictEqual(initialState.checkedTo, 3 * minute)
    assert.isNull(evaluateMinutes(initialState, price("gt"), minutes([101, 101, 101])).firing)
    const { firing, watch } = evaluateMinutes(initialState, price("cross_above"), minutes([101, 99, 99, 101]))
    assert.deepStrictEqual(firing, { arming: 1, dueAt: 4 * minute, value: 101, previousValue: 99, missed: 0 })
    assert.isNull(evaluateMinutes(watch, price("cross_above"), minutes([101, 99, 99, 101])).firing)
  })

  it("fires once in a late evaluation, for the first true minute, and counts the missed firings", () =>
    fc.assert(
      fc.property(op, values, fc.integer({ min: 0, max: 30 }), (op, prices, at) => {
        const all = minutes(prices)
        const evaluatedTogether = onebyone(price(op), all)
        const first = evaluateMinutes(makeWatchState(0, 1), price(op), all.slice(0, at))
        const second = evaluateMinutes(first.watch, price(op), all)
        assert.deepStrictEqual(second.watch, evaluatedTogether.watch)
        const firings = [first.firing, second.firing].flatMap((one) => one ?? [])
        assert.strictEqual(firings.reduce((sum, { missed }) => sum + 1 + missed, 0), evaluatedTogether.firings.length)
        for (const { missed: _, ...one } of firings) {
          assert.isTrue(
            evaluatedTogether.firings.some(({ arming, dueAt }) => arming === one.arming && dueAt === one.dueAt)
          )
        }
        assert.strictEqual(firings[0]?.dueAt, evaluatedTogether.firings[0]?.dueAt)
        assert.isTrue(new Set(firings.map(({ arming }) => arming)).size === firings.length)
      }),
      { numRuns }
    ))
})

const makeStamp = (now: number, id = 7) => ({ id, conversation: 70 + id, now })
const watchPrice: TaskTrigger = { kind: "watch", spec: { ...price("gt"), metric: "price", op: "gt", value: 1 } }
const hourly: TaskTrigger = { kind: "schedule", spec: { every_min: 60 } }
const emptyState = {
  task: null,
  openTasks: 0,
  hasConversation: false,
  hasEnded: false,
  isKeyLimited: false,
  isFiring: false
}

const creating = (change: Partial<TaskChange & { readonly _tag: "Create" }> = {}): TaskChange => ({
  _tag: "Create",
  title: "t",
  trigger: watchPrice,
  prompt: null,
  maxRuns: null,
  lang: "en",
  key: 3,
  conversation: null,
  ...change
})

const put = (change: TaskChange, state: Parameters<typeof decideTask>[2], now: number): Task => {
  const { effects } = Result.getOrThrow(decideTask(1, change, state, makeStamp(now)))
  assert(effects.put !== undefined)
  return effects.put
}
const created = (change: Partial<TaskChange & { readonly _tag: "Create" }> = {}, now = 90_000) =>
  put(creating(change), emptyState, now)
const updated = (task: Task, change: Partial<TaskChange & { readonly _tag: "Update" }>, now = 3_600_000) =>
  put({ _tag: "Update", id: task.id, key: 4, ...change }, { ...emptyState, task, openTasks: 1 }, now)
const rejectionOf = (task: Task | null, change: TaskChange, openTasks = 1) => {
  const decision = decideTask(1, change, { ...emptyState, task, openTasks }, makeStamp(0))
  assert(Result.isFailure(decision))
  return decision.failure._tag
}

describe("Task changes", () => {
  it("creates an armed watch or a due schedule, in an existing or a new conversation", () => {
    const task = created()
    assert.deepInclude(task, { version: 1, runs: 0, status: "active", conversation: 77, account: 1, key: 3 })
    assert.deepInclude(task, { watch: { arming: 1, armed: true, checkedTo: minute, last: null } })
    assert.deepInclude(created({ trigger: hourly }), { nextAt: 90_000 + 60 * minute })
    const { effects } = Result.getOrThrow(
      decideTask(1, creating({ conversation: 5 }), { ...emptyState, hasConversation: true }, makeStamp(0))
    )
    assert.deepInclude({ ...effects, at: effects.put?.conversation }, { createsConversation: false, at: 5 })
    assert.strictEqual(created({ conversation: 5 }).conversation, 77)
    assert.strictEqual(rejectionOf(null, creating(), taskLimits.open), "TasksFull")
  })

  it("let a key with monthly credits neither create nor change an active task that asks the analyst", () => {
    const limited = { ...emptyState, isKeyLimited: true }
    const decide = (change: TaskChange, task: Task | null = null) =>
      Result.match(decideTask(1, change, { ...limited, task, openTasks: 1 }, makeStamp(0)), {
        onFailure: ({ _tag }) => _tag,
        onSuccess: () => "accepted"
      })
    const [watch, asking, schedule] = [created(), created({ prompt: "why?" }), created({ trigger: hourly })]
    assert.strictEqual(decide(creating()), "accepted")
    assert.strictEqual(decide(creating({ prompt: "why?" })), "LimitedKey")
    assert.strictEqual(decide(creating({ trigger: hourly })), "LimitedKey")
    const update = { _tag: "Update", id: 7, key: 4 } as const
    assert.strictEqual(decide({ ...update, prompt: "why?" }, watch), "LimitedKey")
    assert.strictEqual(decide({ ...update, title: "u" }, schedule), "LimitedKey")
    assert.strictEqual(decide({ ...update, status: "active" }, { ...asking, status: "paused" }), "LimitedKey")
    assert.strictEqual(decide({ ...update, status: "paused" }, asking), "accepted")
    assert.strictEqual(decide({ ...update, prompt: null }, asking), "accepted")
    assert.strictEqual(decide({ _tag: "Delete", id: 7, key: 4 }, schedule), "accepted")
  })

  it("keeps omitted fields and the state of the watch", () => {
    const task = created()
    const secondUpdate = updated(task, { title: "u", trigger: watchPrice, status: "active" })
    assert.deepStrictEqual(secondUpdate, { ...task, title: "u", version: 2, key: 4, updatedAt: 3_600_000 })
    assert.strictEqual(rejectionOf(task, { _tag: "Update", id: 7, key: 4, trigger: hourly }), "OtherTaskKind")
    assert.strictEqual(rejectionOf(null, { _tag: "Delete", id: 7, key: 4 }), "NoSuchTask")
  })

  it("restarts a watch or schedule from now on a new spec and on a resume", () => {
    const task = created()
    assert(task.kind === "watch")
    const old = { ...task, watch: { arming: 4, armed: false, checkedTo: 0, last: 5 }, notBefore: 9 }
    const rearmedState = { watch: { arming: 5, armed: true, checkedTo: 3_600_000, last: null }, notBefore: null }
    const below: TaskTrigger = { kind: "watch", spec: price("lt") }
    assert.deepInclude(updated(old, { trigger: below }), { ...rearmedState, spec: below.spec })
    const paused = updated(old, { status: "paused" })
    assert.deepInclude(paused, { watch: old.watch, notBefore: 9, status: "paused" })
    assert.deepInclude(updated(paused, { status: "active" }), { ...rearmedState, status: "active" })
    const daily = created({ trigger: { kind: "schedule", spec: { at: "09:00", tz_offset_hours: 9 } } })
    assert.deepInclude(updated(daily, { trigger: hourly }), { nextAt: 3_600_000 + 60 * minute })
  })

  it("leaves a task done until its maximum number of runs is raised", () => {
    const task = { ...created({ maxRuns: 2 }), runs: 2, status: "done" } as const
    assert.strictEqual(updated(task, { title: "u" }).status, "done")
    assert.strictEqual(rejectionOf(task, { _tag: "Update", id: 7, key: 4, status: "active" }), "TaskIsDone")
    assert.deepInclude(updated(task, { maxRuns: 3 }), { status: "active", runs: 2 })
    assert.deepInclude(updated(task, { maxRuns: null, status: "paused" }), { status: "paused" })
    const raiseMaxRuns: TaskChange = { _tag: "Update", id: 7, key: 4, maxRuns: 3 }
    assert.strictEqual(rejectionOf(task, raiseMaxRuns, taskLimits.open), "TasksFull")
    assert.strictEqual(updated({ ...created(), runs: 3 }, { maxRuns: 3 }).status, "done")
  })
})

describe("Pause of a done task whose last firing is running", () => {
  const doneTask = { ...created({ maxRuns: 1 }), runs: 1, status: "done" } as const
  const firing = (task: Task, change: Partial<TaskChange & { readonly _tag: "Update" }>) =>
    put({ _tag: "Update", id: 7, key: 4, ...change }, {
      ...emptyState,
      task,
      openTasks: taskLimits.open,
      isFiring: true
    }, 0)
  const paused = firing(doneTask, { status: "paused" })

  it("can be repeated, and survives a change of another field", () => {
    assert.strictEqual(firing(paused, { status: "paused" }).status, "paused")
    assert.strictEqual(updated(paused, { status: "paused" }).status, "paused")
    assert.strictEqual(firing(paused, { title: "other" }).status, "paused")
    assert.strictEqual(firing(doneTask, { title: "other" }).status, "done")
  })

  it("cannot be used to pass the limit of open tasks", () => {
    const back = { ...paused, runs: 0 }
    const resume: TaskChange = { _tag: "Update", id: 7, key: 4, status: "active" }
    assert.strictEqual(rejectionOf(back, resume, taskLimits.open + 1), "TasksFull")
    assert.strictEqual(put(resume, { ...emptyState, task: back, openTasks: taskLimits.open }, 0).status, "active")
  })
})

describe("Firings of tasks", () => {
  const claimOf = (task: Task, change: Partial<Claim> = {}): Claim => ({
    task: task.id,
    version: task.version,
    due: task.kind === "watch" ? `arming:${task.watch.arming}` : `at:${task.nextAt}`,
    dueAt: task.kind === "watch" ? task.watch.checkedTo + minute : task.nextAt,
    missed: 0,
    observed: null,
    question: "q",
    next: task.kind === "watch"
      ? {
        kind: "watch",
        from: task.watch.checkedTo,
        watch: { ...task.watch, armed: false, checkedTo: task.watch.checkedTo + minute },
        cooldownMs: 0
      }
      : { kind: "schedule", from: task.nextAt, nextAt: computeNextDue(task.spec, task.nextAt) },
    ...change
  })
  const stamp = { id: 9, now: 10 * day }
  const makeFiringEnd = (change: Partial<FiringEnd> = {}): FiringEnd => ({
    outcome: "reported",
    report: null,
    notification: null,
    returnRun: null,
    pauseTask: null,
    ...change
  })

  it("counts a run per claim, records the data of the firing, and ends the task on its last run", () => {
    const task = created({ maxRuns: 2 })
    const firstClaim = applyClaim(task, claimOf(task), false, stamp)!
    assert.deepInclude(firstClaim.task, { runs: 1, status: "active", version: 1 })
    assert.deepInclude(firstClaim.firing, {
      id: 9,
      task: 7,
      due: "arming:1",
      dueAt: 2 * minute,
      epoch: 1,
      state: "claimed"
    })
    assert.strictEqual(firstClaim.firing!.lateByMs, stamp.now - 2 * minute)
    assert.isNull(applyClaim(firstClaim.task, claimOf(task), false, stamp), "the same minutes twice")
    const secondClaim = applyClaim(firstClaim.task, claimOf(firstClaim.task), false, stamp)!
    assert.deepInclude(secondClaim.task, { runs: 2, status: "done" })
    assert.isNull(applyClaim(secondClaim.task, claimOf(secondClaim.task), false, stamp), "it is done")
  })

  it("claims nothing if the task has changed since it was read, or is not due", () => {
    const task = created({ trigger: hourly })
    assert(task.kind === "schedule")
    const claim = claimOf(task)
    assert.isNotNull(applyClaim(task, claim, false, stamp))
    const changes: ReadonlyArray<Partial<ScheduleTask>> = [
      { version: 2 },
      { status: "paused" },
      { nextAt: task.nextAt + 1 },
      { notBefore: stamp.now + 1 }
    ]
    for (const change of changes) {
      assert.isNull(applyClaim({ ...task, ...change }, claim, false, stamp), JSON.stringify(change))
    }
    assert.isNotNull(applyClaim({ ...task, notBefore: stamp.now }, claim, false, stamp))
    assert.isNull(applyClaim(task, claim, false, { id: 9, now: task.nextAt - 1 }), "it is not due")
    // The task has already fired for `due`, as happens if the store's clock was set back.
    const moved = applyClaim(task, claim, true, stamp)!
    assert.isNull(moved.firing)
    assert.deepInclude(moved.task, { runs: 0, nextAt: task.nextAt + 60 * minute })
  })

  it("re-arms, reactivates and delays a task whose run is returned", () => {
    const task = created({ maxRuns: 1 })
    const { firing, task: fired } = applyClaim(task, claimOf(task), false, stamp)!
    assert.strictEqual(fired.status, "done")
    const back = makeFiringEnd({ outcome: "refused", returnRun: { notBefore: 11 * day } })
    const secondEnd = applyEnd(fired, firing!, back)
    assert(secondEnd.kind === "watch")
    assert.deepInclude(secondEnd, { runs: 0, status: "active", notBefore: 11 * day, version: 2 })
    assert.deepInclude(secondEnd.watch, { arming: 2, armed: true })
    assert.deepStrictEqual(secondEnd.last, { dueAt: firing!.dueAt, lateByMs: firing!.lateByMs, outcome: "refused" })
    const deletedKeyEnd = applyEnd(fired, firing!, { ...back, outcome: "key_gone", pauseTask: { key: firing!.key } })
    assert.deepInclude(deletedKeyEnd, { status: "paused", runs: 0 })
    // If another key has changed the task since the claim, the task continues with the other key.
    const other = applyEnd({ ...fired, key: 5 }, firing!, {
      ...back,
      outcome: "key_gone",
      pauseTask: { key: firing!.key }
    })
    assert.strictEqual(other.status, "active")
    const ownKeyEnd = applyEnd({ ...fired, key: 5 }, firing!, { ...back, outcome: "key_gone", pauseTask: { key: 5 } })
    assert.strictEqual(ownKeyEnd.status, "paused")
    assert.strictEqual(applyEnd({ ...fired, status: "paused" }, firing!, back).status, "paused")
    assert.deepInclude(applyEnd(fired, firing!, makeFiringEnd()), { status: "done", runs: 1, version: 1 })
    assert.strictEqual(applyEnd({ ...fired, runs: 2 }, firing!, back).status, "done")
  })
})
