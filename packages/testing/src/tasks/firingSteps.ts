import { assert } from "@effect/vitest"
import { type Claim, collapse, type FiringEnd, judgeMinutes, type Task, type WatchTask } from "@tapeline/core/tasks"
import { Effect } from "effect"
import { claim, claimOf, ending, hour, minute, onTasks } from "./fixtures.ts"
import { countRun, endRun, type Model, type ModelFiring, type ModelTask, waitsOf } from "./Model.ts"

/* What sweeps and runners do in a run of the model, and what it must come to. */

/** What a sweep makes of a task that it has read: a claim, or how far a watch has looked. */
const judged = (read: Task, now: number, how: number): Claim | ReturnType<typeof judgeMinutes>["watch"] => {
  if (read.kind === "schedule") {
    const due = collapse(read.spec, read.nextAt, now)
    // One that is not due is claimed all the same, as by a node whose clock is wrong.
    if (due === null) return claimOf(read)
    const { dueAt, missed, nextAt } = due
    return claimOf(read, { due: `at:${dueAt}`, dueAt, missed, next: { kind: "schedule", from: read.nextAt, nextAt } })
  }
  const from = read.watch.checkedTo
  const values = [how % 2, how % 3, how % 5].slice(0, 1 + how % 3).map((odd) => odd === 0 ? 101 : 40)
  const minutes = values.map((value, i) => ({ end: from + (i + 1) * minute, value }))
  const { firing, watch } = judgeMinutes(read.watch, read.spec, minutes)
  if (firing === null) return watch
  const { arming, dueAt, missed } = firing
  return claimOf(read, { due: `arming:${arming}`, dueAt, missed, next: { kind: "watch", from, watch } })
}

const isAsRead = (task: ModelTask, read: Task): boolean =>
  !task.deleted && task.version === read.version && JSON.stringify(task.waits) === JSON.stringify(waitsOf(read))

const observe = Effect.fnUntraced(function*(task: ModelTask, read: WatchTask, watch: WatchTask["watch"]) {
  const from = read.watch.checkedTo
  yield* onTasks((store) => store.observe([{ task: task.id, version: read.version, from, watch }]))
  if (isAsRead(task, read)) task.waits = { watch }
})

export const fire = Effect.fnUntraced(function*(model: Model, read: Task, how: number) {
  const task = model.tasks.find(({ id }) => id === read.id)!
  const now = yield* onTasks((store) => store.time)
  const come = judged(read, now, how)
  if (!("due" in come)) return read.kind === "watch" ? yield* observe(task, read, come) : undefined
  const isFree = task.status === "active" && (task.notBefore === null || task.notBefore <= now)
  const fires = isFree && isAsRead(task, read) && (read.kind === "watch" || come.dueAt <= now)
  const came = yield* Effect.all(Array.from({ length: how % 4 === 0 ? 3 : 1 }, () => claim(come)), {
    concurrency: "unbounded"
  })
  const told = came.flatMap((one) => one ?? [])
  assert.lengthOf(told, fires ? 1 : 0, `claimed by one, and only of what is as it was read: ${come.due}`)
  if (!fires) return
  // Whose answer was lost is found among those that nobody has ended.
  const open = yield* onTasks((store) => store.unfinished(-hour, 100_000))
  const firing = open.find((one) => one.task === task.id && one.due === come.due)
  assert.deepStrictEqual(firing, told[0], "what was claimed is there to be resumed")
  assert.isFalse(model.firings.some((one) => one.task === task && one.due === come.due), "fired for this before")
  const { conversation, id } = firing!
  assert.strictEqual(conversation, task.conversation)
  countRun(task, come.next.kind === "watch" ? { watch: come.next.watch } : { nextAt: come.next.nextAt })
  const { account, title } = task
  const state = "claimed" as const
  model.firings.push({ account, id, task, due: come.due, title, conversation, epoch: 1, state, generation: null })
})

const ends = (how: number, now: number, text: string): FiringEnd => {
  const giveBack = { notBefore: now + hour }
  const said = { title: "t", body: text }
  switch (how % 4) {
    case 0:
      return ending({ outcome: "refused", report: null, giveBack, notification: { kind: "task_refused", ...said } })
    case 1:
      return ending({
        outcome: "key_gone",
        report: null,
        giveBack,
        pauses: true,
        notification: { kind: "task_paused", ...said }
      })
    case 2:
      return ending({ outcome: "answered", report: null, notification: null })
    default:
      return ending({ notification: { kind: "task_fired", ...said } })
  }
}

const end = Effect.fnUntraced(function*(model: Model, firing: ModelFiring, how: number, fence: Fence, text: string) {
  const now = yield* onTasks((store) => store.time)
  const asked = ends(how, now, text)
  const came = yield* Effect.all(
    Array.from({ length: how % 5 === 0 ? 2 : 1 }, () => onTasks((store) => store.end(fence, asked))),
    { concurrency: "unbounded" }
  )
  const told = came.flatMap((one) => one ?? [])
  assert.lengthOf(told, holds(firing, fence) ? 1 : 0, "ends once, under its own fence")
  const [ended] = told
  if (ended === undefined) return
  firing.state = "ended"
  const { account, task } = firing
  const moves = asked.report !== null && model.isGone(firing.conversation)
  if (moves) {
    const conversation = ended.notification!.conversation!
    assert.isTrue(model.isGone(conversation), "a new conversation is new")
    model.said.set(conversation, [])
    firing.conversation = conversation
    task.conversation = conversation
  }
  if (asked.report !== null) model.said.get(firing.conversation)!.push(`task: ${asked.report.content}`)
  if (!task.deleted) endRun(task, asked)
  if (asked.notification === null) return assert.isNull(ended.notification)
  const { body, kind } = asked.notification
  const conversation = model.isGone(firing.conversation) ? null : firing.conversation
  model.bell(account).push({ kind, body, task: task.id, conversation, read: false })
  assert.strictEqual(ended.notification?.n, model.bell(account).length)
})

type Fence = { readonly firing: number; readonly epoch: number }

const holds = ({ epoch, state }: ModelFiring, fence: Fence): boolean => state !== "ended" && epoch === fence.epoch

/** What runners do to a firing, under the epoch that they hold: it may be an old one. */
export const running = Effect.fnUntraced(function*(
  model: Model,
  firing: ModelFiring,
  { how, kind }: { readonly kind: string; readonly how: number },
  text: string
) {
  const fence = { firing: firing.id, epoch: Math.max(0, firing.epoch - (how % 3 === 0 ? 1 : 0)) }
  const held = holds(firing, fence)
  switch (kind) {
    case "take": {
      const isStale = how % 2 === 0
      const tries = Array.from(
        { length: how % 3 === 0 ? 3 : 1 },
        () => onTasks((store) => store.take(firing.id, isStale ? 0 : 900 * hour))
      )
      const came = (yield* Effect.all(tries, { concurrency: isStale ? 1 : "unbounded" })).flatMap((one) => one ?? [])
      const takes = isStale && firing.state !== "ended" ? tries.length : 0
      assert.deepStrictEqual(
        came.map(({ epoch }) => epoch),
        Array.from({ length: takes }, (_, i) => firing.epoch + i + 1)
      )
      firing.epoch += takes
      return
    }
    case "renew":
      return assert.strictEqual(yield* onTasks((store) => store.renew(fence)), held)
    case "asked":
      assert.strictEqual(yield* onTasks((store) => store.asked(fence, 1 + how)), held)
      if (held) Object.assign(firing, { state: "asked", generation: 1 + how })
      return
    case "rehouse": {
      const conversation = yield* onTasks((store) => store.rehouse(fence))
      assert.strictEqual(conversation !== null, held)
      if (conversation === null) return
      model.said.set(conversation, [])
      firing.conversation = conversation
      firing.task.conversation = conversation
      return
    }
    default:
      return yield* end(model, firing, how, fence, text)
  }
})
