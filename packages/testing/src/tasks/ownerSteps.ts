import { assert } from "@effect/vitest"
import type { Awaited, TaskChange } from "@tapeline/core/tasks"
import { Effect, Result } from "effect"
import { above, creating, newCall, onBell, updating, write } from "./fixtures.ts"
import { type Model, type ModelTask, pick, shownTask, waitsOf } from "./Model.ts"

/* What owners do in a run of the model, and what it must come to. */

const halfHourly: Awaited = { kind: "schedule", spec: { every_min: 30 } }

/** Makes a change, perhaps under the call of the one before; what that came to, unless it was that one's again. */
const changing = Effect.fnUntraced(function*(model: Model, account: number, change: TaskChange, how: number) {
  const last = model.calls.get(account)
  if (how % 7 === 0 && last !== undefined) {
    assert.deepStrictEqual(yield* write(account, change, last.call), last.answer, "a call that is made again")
    return null
  }
  const call = newCall()
  const times = how % 5 === 0 ? 2 : 1
  const came = yield* Effect.all(
    Array.from({ length: times }, () => Effect.result(write(account, change, call))),
    { concurrency: "unbounded" }
  )
  const [first] = came
  if (first === undefined || Result.isFailure(first)) {
    return first === undefined || !("_tag" in first.failure) ? "failed" : first.failure._tag
  }
  for (const one of came) assert.deepStrictEqual(Result.getOrThrow(one), first.success, "one call, made twice at once")
  model.calls.set(account, { call, answer: first.success })
  return first.success
})

export const create = Effect.fnUntraced(function*(
  model: Model,
  account: number,
  text: string,
  { how, which }: { readonly which: number; readonly how: number }
) {
  const houses = model.tasks.filter((task) => task.account === account)
  const conversation = how % 3 === 0 ? pick(houses, which)?.conversation ?? null : null
  const maxRuns = [1, 2, null][which % 3]!
  const awaited = how % 2 === 0 ? above() : halfHourly
  const came = yield* changing(model, account, creating({ title: text, awaited, maxRuns, conversation }), how)
  if (came === null) return
  assert(typeof came === "object" && came._tag === "Task", "a task is made")
  const { task } = came
  assert.strictEqual(task.conversation === conversation, conversation !== null && !model.isGone(conversation))
  if (task.conversation !== conversation) model.said.set(task.conversation, [])
  assert.deepInclude(task, { account, title: text, runs: 0, version: 1, status: "active" })
  assert.isFalse(model.tasks.some(({ id }) => id === task.id), "an id that there was before")
  model.tasks.push({ ...shownTask(task), deleted: false })
  model.read.push(task)
})

/** What an owner may ask for, by a number. */
const changes = (how: number, task: ModelTask, text: string): Partial<TaskChange & { readonly _tag: "Update" }> => {
  const other = task.kind === "watch" ? above(50 + how % 3) : { kind: "schedule" as const, spec: { every_min: 30 } }
  switch (how % 6) {
    case 0:
      return { title: text }
    case 1:
      return { awaited: other }
    case 2:
      return { status: "paused" }
    case 3:
      return { status: "active" }
    case 4:
      return { maxRuns: 1 + how % 3 }
    default:
      return { maxRuns: null, status: "active" }
  }
}

export const update = Effect.fnUntraced(
  function*(model: Model, task: ModelTask, account: number, text: string, how: number) {
    const asked = changes(how, task, text)
    const came = yield* changing(model, account, updating(task.id, asked), how)
    if (came === null) return
    if (task.deleted || account !== task.account) return assert.strictEqual(came, "NoSuchTask")
    const maxRuns = asked.maxRuns === undefined ? task.maxRuns : asked.maxRuns
    const isDone = maxRuns !== null && task.runs >= maxRuns
    if (isDone && asked.status !== undefined) return assert.strictEqual(came, "TaskIsDone")
    assert(typeof came === "object" && came._tag === "Task", "a task is changed")
    const status = isDone ? "done" : asked.status ?? (task.status === "done" ? "active" : task.status)
    const resumes = task.status !== "active" && status === "active"
    // Only a watch is ever given a spec that is not what it was, and which was that is told by what came of it.
    const anew = came.task.kind === "watch" && "watch" in task.waits
      ? came.task.watch.arming > task.waits.watch.arming
      : resumes
    if (resumes) assert.isTrue(anew, "what goes on begins anew")
    if (anew) {
      assert.isNull(came.task.notBefore)
      if (came.task.kind === "watch") assert.isTrue(came.task.watch.armed && came.task.watch.last === null)
      Object.assign(task, { waits: waitsOf(came.task), notBefore: null })
    }
    Object.assign(task, { title: asked.title ?? task.title, maxRuns, status, version: task.version + 1 })
    assert.deepStrictEqual(waitsOf(came.task), task.waits)
  }
)

/** Its owner, or somebody whose it is not, deletes a task. */
export const remove = Effect.fnUntraced(function*(model: Model, task: ModelTask, account: number, how: number) {
  const came = yield* changing(model, account, { _tag: "Delete", id: task.id }, how)
  if (came === null) return
  if (task.deleted || account !== task.account) return assert.strictEqual(came, "NoSuchTask")
  task.deleted = true
  assert.deepStrictEqual(came, { _tag: "Deleted", id: task.id })
})

export const mark = Effect.fnUntraced(function*(model: Model, account: number, which: number, how: number) {
  const bell = model.bell(account)
  const numbers = how % 3 === 0 ? null : [1 + which % 5, 1 + how % 7]
  const marks = bell.filter(({ read }, i) => !read && (numbers === null || numbers.includes(i + 1)))
  const call = newCall()
  for (let times = 0; times < 1 + how % 2; times++) {
    assert.strictEqual(yield* onBell((store) => store.mark(account, call, numbers)), marks.length)
  }
  for (const one of marks) Object.assign(one, { read: true })
})
