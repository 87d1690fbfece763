import { assert } from "@effect/vitest"
import type { ConversationStore } from "@tapeline/core/agent"
import { Effect } from "effect"
import fc from "fast-check"
import { fire, running } from "./firingSteps.ts"
import { bellOf, find, hour, minute, newAccount, onConversations, onTasks, saidIn } from "./fixtures.ts"
import { Model, type ModelTask, type Moving, pick, shownTask } from "./Model.ts"
import { create, mark, remove, update } from "./ownerSteps.ts"

/* Owners of two accounts, sweeps that read early and claim late, and runners that die, all interleaved. */

const kinds = [
  "create",
  "create",
  "update",
  "update",
  "delete",
  "read",
  "read",
  "fire",
  "fire",
  "fire",
  "fire",
  "fire",
  "fire",
  "take",
  "renew",
  "asked",
  "rehouse",
  "end",
  "end",
  "end",
  "mark",
  "remove",
  "wait"
] as const

/** One thing that somebody does. Numbers pick among what there is. */
type Action = readonly [kind: typeof kinds[number], which: number, how: number]

const actions = fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(1_000), fc.nat(1_000)), {
  minLength: 25,
  maxLength: 60,
  size: "max"
})

/** Everything that the stores hold of the run, beside what the model does. */
const audit = Effect.fnUntraced(function*(model: Model, accounts: ReadonlyArray<number>) {
  for (const account of accounts) {
    const own = model.tasks.filter((task) => task.account === account && !task.deleted)
    const listed = yield* onTasks((store) => store.list(account, null))
    assert.deepStrictEqual(
      listed.map((task) => shownTask(task)),
      own.toSorted((a, b) => b.id - a.id).map(({ deleted: _, ...task }) => task)
    )
    for (const { id } of model.tasks) {
      const isOwn = own.some((one) => one.id === id)
      assert.strictEqual((yield* find(account, id)) !== null, isOwn, "to each account its own tasks")
    }
    const { notifications, unread } = yield* bellOf(account)
    const told = notifications.toReversed()
    assert.deepStrictEqual(told.map(({ n }) => n), told.map((_, i) => i + 1), "without a gap")
    assert.deepStrictEqual(
      told.map(({ body, conversation, kind, read, task }) => ({ kind, body, task, conversation, read })),
      model.bell(account)
    )
    assert.strictEqual(unread, model.bell(account).filter(({ read }) => !read).length)
    for (const [conversation, said] of model.said) {
      const owner = [...model.tasks, ...model.firings].find((one) => one.conversation === conversation)?.account
      if (owner === account) assert.deepStrictEqual(yield* saidIn(account, conversation), said)
      else if (owner !== undefined) assert.isNull(yield* saidIn(account, conversation))
    }
  }
  const open = yield* onTasks((store) => store.unfinished(-hour, 100_000))
  const [found, expected] = [
    open.filter(({ account }) => accounts.includes(account)),
    model.firings.filter(({ state }) => state !== "ended")
  ].map((some) =>
    some.map(({ epoch, generation, id, state }) => ({ id, epoch, state, generation })).sort((a, b) => a.id - b.id)
  )
  assert.deepStrictEqual(found, expected)
})

/** What is done to a task that there is. */
const doing = (model: Model, task: ModelTask, action: Action, text: string, accounts: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const [kind, which, how] = action
    // Now and then by somebody whose it is not.
    const by = how % 6 === 0 ? accounts.find((one) => one !== task.account)! : task.account
    switch (kind) {
      case "update":
        return yield* update(model, task, by, text, which)
      case "delete":
        return yield* remove(model, task, by, which)
      case "read": {
        const found = yield* find(task.account, task.id)
        if (found !== null) model.read.push(found)
        return
      }
      case "fire": {
        // What was read last, or what was read before that.
        const own = model.read.filter(({ id }) => id === task.id)
        const current = how % 4 === 1 ? pick(own, which) : yield* find(task.account, task.id)
        return current === null || current === undefined ? undefined : yield* fire(model, current, how)
      }
      case "remove": {
        const came = yield* onConversations((store) => store.remove(task.account, task.conversation))
        assert.strictEqual(came, model.isGone(task.conversation) ? "absent" : "removed")
        model.said.set(task.conversation, null)
        return
      }
      default: {
        const firing = pick(model.firings, which)
        return firing === undefined ? undefined : yield* running(model, firing, { kind, how }, text)
      }
    }
  })

/** Does what was drawn, two accounts taking part, with an audit of everything at the end. */
const run = <R>(drawn: ReadonlyArray<Action>, time: Moving<R>) =>
  Effect.gen(function*() {
    const model = new Model()
    const accounts = [newAccount(), newAccount()]
    for (const [i, action] of drawn.entries()) {
      const [kind, which, how] = action
      const task = pick(model.tasks, which)
      if (kind === "wait") {
        const ms = (how % 2 === 0 ? 31 : 61) * minute
        yield* time.by(ms)
        if (time.moves === "rows") model.putBack(ms)
      } else if (kind === "mark") yield* mark(model, accounts[how % 2]!, which, how)
      else if (kind === "create" || task === undefined) {
        yield* create(model, accounts[which % 2]!, `text ${i}`, { which, how })
      } else yield* doing(model, task, action, `text ${i}`, accounts)
    }
    yield* audit(model, accounts)
  })

let draws = 0

/**
 * Runs drawn actions of owners, sweeps and runners against the stores, beside a model that says what each must come to,
 * and what must be there at the end. Gives the seed, and what failed with the shortest actions that lead to it.
 */
export const runTaskModel = async <R>(
  provide: <A>(effect: Effect.Effect<A, unknown, ConversationStore | R>) => Promise<A>,
  time: Moving<R>,
  options: { readonly runs: number; readonly seed?: number; readonly shrink?: boolean }
): Promise<{ readonly seed: number; readonly failure: string | null }> => {
  const seed = options.seed ?? (Date.now() ^ (++draws << 16)) | 0
  const property = fc.asyncProperty(actions, (drawn) => provide(run(drawn, time)))
  const details = await fc.check(property, { numRuns: options.runs, seed, endOnFailure: !(options.shrink ?? true) })
  return { seed, failure: details.failed ? await fc.asyncDefaultReportMessage(details) ?? "failed" : null }
}
