import { assert } from "@effect/vitest"
import { allScopes } from "@tapeline/core"
import { ConversationStore, GenerationLog, GenerationStore, type Outcome } from "@tapeline/core/agent"
import { Effect } from "effect"
import fc from "fast-check"
import {
  again,
  type AgentStores,
  answer,
  ask,
  booksOf,
  delta,
  endOf,
  existing,
  newAccount,
  price,
  question,
  report,
  saidIn,
  stepOf,
  wholeLog
} from "./fixtures.ts"
import { Model, type ModelConversation, type ModelGeneration } from "./Model.ts"

/** One action. Its numbers select accounts, conversations, generations and epochs among the existing ones. */
type Action = readonly [kind: typeof kinds[number], which: number, how: number]

const kinds = [
  "begin",
  "goOn",
  "again",
  "take",
  "append",
  "append",
  "store",
  "renew",
  "end",
  "endAnyway",
  "close",
  "report",
  "remove",
  "strange"
] as const

const outcomes: ReadonlyArray<Outcome> = ["finished", "cancelled", "failed"]

const actions = fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(1_000), fc.nat(1_000)), {
  minLength: 10,
  maxLength: 40
})

const pick = <A>(from: ReadonlyArray<A>, which: number): A | undefined => from[which % Math.max(1, from.length)]

/** Starts a generation and checks the result. */
const starting = (model: Model, account: number, place: "New" | ModelConversation, asksAgain: boolean, text: string) =>
  Effect.gen(function*() {
    const start = place === "New"
      ? yield* ask(account, { question: question(text) })
      : yield* ask(
        account,
        asksAgain
          ? { place: again(place.id), question: null }
          : { place: existing(place.id), question: question(text) }
      )
    // The reservation of a rejected start stays reserved until its lease expires.
    model.add(model.reserved, account, price)
    const running = place === "New" ? undefined : model.running(place.id)
    if (place !== "New" && place.account !== account) {
      assert.deepStrictEqual(start, { _tag: "NoConversation" })
      return
    }
    if (running !== undefined) {
      assert.deepStrictEqual(start, { _tag: "Busy", generation: running.id })
      return
    }
    assert(start._tag === "Started", `expected a start, got ${start._tag}`)
    const { brief, conversation: id, epoch, question: asked, id: generation } = start.generation
    const conversation = place === "New"
      ? {
        account,
        id,
        said: new Map<number, string>(),
        question: asked,
        answer: null,
        reports: new Map<string, number>()
      }
      : place
    if (place === "New") model.conversations.push(conversation)
    assert.strictEqual(brief.replaces, asksAgain ? conversation.answer : null)
    assert.strictEqual(epoch, 0)
    if (asksAgain) assert.strictEqual(asked, conversation.question)
    else {
      conversation.said.set(asked, `user: ${text}`)
      Object.assign(conversation, { question: asked, answer: null })
    }
    model.generations.push({
      account,
      conversation: id,
      id: generation,
      replaces: brief.replaces,
      state: "running",
      epoch: 0,
      steps: [],
      events: ["conversation"],
      outcome: null,
      answer: null
    })
  })

/** Applies an end to the model. */
const ended = (
  model: Model,
  one: ModelGeneration,
  outcome: Outcome,
  text: string,
  open: boolean,
  kept: number | null
) => {
  const keeps = one.replaces === null || outcome === "finished"
  assert.strictEqual(kept !== null, keeps, "an answer is kept unless it fails to replace another")
  const conversation = model.conversations.find(({ id }) => id === one.conversation)!
  if (kept !== null) {
    if (one.replaces !== null) conversation.said.delete(one.replaces)
    conversation.said.set(kept, `assistant: ${text}`)
    conversation.answer = kept
  }
  Object.assign(one, { state: open ? "ended" : "closed", outcome, answer: kept })
  one.events.push("done")
  model.add(model.reserved, one.account, -price)
  if (outcome !== "failed") model.add(model.used, one.account, price)
}

/** Runs a runner's write with its epoch, which may be an earlier one. */
const writing = (model: Model, one: ModelGeneration, [kind, which, how]: Action, text: string) =>
  Effect.gen(function*() {
    const generations = yield* GenerationStore
    const epoch = Math.max(0, one.epoch - (how % 3 === 0 ? 1 : 0))
    const fence = { generation: one.id, epoch }
    const holds = one.state === "running" && epoch === one.epoch
    const outcome = outcomes[which % 3]!
    const open = how % 2 === 0
    const how2 = endOf(one.conversation, { outcome, open, answer: answer(text, { outcome }) })
    switch (kind) {
      case "take": {
        const came = yield* generations.take(one.id, how % 2 === 0 ? 0 : 600_000)
        const takes = one.state === "running" && (one.epoch === 0 || how % 2 === 0)
        assert.strictEqual(came?.epoch, takes ? one.epoch + 1 : undefined)
        if (takes) one.epoch++
        return
      }
      case "append": {
        const texts = Array.from({ length: which % 4 }, (_, i) => `${text}.${i}`)
        assert.strictEqual(yield* generations.append(fence, texts.map((each) => delta(each))), holds)
        if (holds) one.events.push(...texts.map((each) => `delta ${each}`))
        return
      }
      case "store": {
        assert.strictEqual(yield* generations.store(fence, [stepOf(text)], [delta(text)]), holds)
        if (holds) {
          one.steps.push(text)
          one.events.push(`delta ${text}`)
        }
        return
      }
      case "renew":
        return assert.strictEqual(yield* generations.renew(fence), holds)
      case "end": {
        const came = yield* generations.end(fence, how2)
        assert.strictEqual(came.held, holds)
        return holds ? ended(model, one, outcome, text, open, came.answer?.id ?? null) : assert.isNull(came.answer)
      }
      case "endAnyway": {
        const came = yield* generations.endAnyway(one.id, ({ events, generation, steps }) => {
          assert.deepStrictEqual(steps.map(({ name }) => name), one.steps)
          assert.strictEqual(events.length, one.events.length)
          assert.strictEqual(generation.epoch, one.epoch)
          return how2
        })
        assert.strictEqual(came !== null, one.state === "running")
        if (came === null) return
        one.epoch++
        return ended(model, one, outcome, text, open, came.answer)
      }
      case "close": {
        const closes = one.state === "ended"
        assert.strictEqual(yield* generations.close(one.id, open ? [text] : []), closes)
        if (!closes) return
        one.state = "closed"
        if (open && model.conversations.some(({ id }) => id === one.conversation)) one.events.push("suggest")
      }
    }
  })

/** Runs an action on a conversation that does not concern its generations. */
const keeping = (model: Model, one: ModelConversation, [kind, , how]: Action, text: string) =>
  Effect.gen(function*() {
    const conversations = yield* ConversationStore
    if (kind === "report") {
      const identity = `task:${how % 3}`
      const message = yield* conversations.report(one.account, one.id, identity, report(text))
      assert(message !== null)
      const known = one.reports.get(identity)
      assert.strictEqual(known ?? message.id, message.id)
      if (known === undefined) one.said.set(message.id, `task: ${text}`)
      one.reports.set(identity, message.id)
      return
    }
    const came = yield* conversations.remove(one.account, one.id)
    assert.strictEqual(came, model.running(one.id) === undefined ? "removed" : "running")
    if (came === "running") return
    model.conversations.splice(model.conversations.indexOf(one), 1)
    for (const generation of model.generations) if (generation.conversation === one.id) generation.events = []
  })

/** Compares everything that the stores hold of the run with the model. */
const audit = (model: Model, accounts: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const [generations, conversations, log] = yield* Effect.all([GenerationStore, ConversationStore, GenerationLog])
    for (const account of accounts) {
      const own = model.conversations.filter((one) => one.account === account)
      const { items } = yield* conversations.list(account, { limit: 1_000, cursor: null, scopes: allScopes })
      assert.deepStrictEqual(items.map(({ id }) => id).toSorted((a, b) => a - b), own.map(({ id }) => id))
      for (const one of own) {
        const found = items.find(({ id }) => id === one.id)
        assert.strictEqual(found?.running, model.running(one.id) !== undefined)
        assert.strictEqual(found?.messageCount, one.said.size)
        const page = yield* conversations.messages(account, one.id, { limit: 1_000, cursor: null })
        assert.deepStrictEqual(page?.items.map(saidIn), [...one.said].sort(([a], [b]) => a - b).map(([, text]) => text))
        const others = accounts.filter((other) => other !== account)
        for (const other of others) assert.isNull(yield* conversations.find(other, one.id))
      }
      const books = yield* booksOf(account)
      assert.deepStrictEqual(books, { used: model.used.get(account) ?? 0, reserved: model.reserved.get(account) ?? 0 })
    }
    for (const one of model.generations) {
      const found = yield* generations.find(one.id)
      const { answer, epoch, outcome, state } = found!
      const { answer: said, epoch: now, outcome: came, state: stands } = one
      assert.deepStrictEqual({ answer, epoch, outcome, state }, {
        answer: said,
        epoch: now,
        outcome: came,
        state: stands
      })
      const { ended, events } = yield* wholeLog(log, one.id)
      const kept = model.conversations.some(({ id }) => id === one.conversation)
      assert.strictEqual(ended, one.state === "closed" || !kept)
      assert.deepStrictEqual(events.map(({ n }) => n), events.map((_, i) => i + 1))
      assert.deepStrictEqual(
        events.map(({ data, kind }) => kind === "delta" ? `delta ${JSON.parse(data).text}` : kind),
        kept ? one.events : []
      )
      assert.deepStrictEqual((yield* generations.steps(one.id)).map(({ name }) => name), kept ? one.steps : [])
    }
  })

/** Runs the drawn actions with two accounts, then audits everything. */
const run = (drawn: ReadonlyArray<Action>): Effect.Effect<void, unknown, AgentStores> =>
  Effect.gen(function*() {
    const model = new Model()
    const accounts = [yield* newAccount, yield* newAccount]
    for (const [i, action] of drawn.entries()) {
      const [kind, which, how] = action
      const text = `text ${i}`
      const account = accounts[how % 2]!
      const conversation = pick(model.conversations, which)
      if (kind === "begin" || conversation === undefined) yield* starting(model, account, "New", false, text)
      else if (kind === "goOn") yield* starting(model, conversation.account, conversation, false, text)
      else if (kind === "again") yield* starting(model, conversation.account, conversation, true, text)
      else if (kind === "strange") {
        const other = accounts.find((one) => one !== conversation.account)!
        yield* starting(model, other, conversation, how % 3 === 0, text)
      } else if (kind === "report" || kind === "remove") yield* keeping(model, conversation, action, text)
      else yield* writing(model, pick(model.generations, which)!, action, text)
    }
    yield* audit(model, accounts)
  })

let draws = 0

/**
 * Runs random actions of several runners with several epochs against the stores. A model predicts each answer and the
 * final content. Returns the seed, and a failure with the shortest actions that cause it.
 */
export const runAgentModel = async (
  provide: <A>(effect: Effect.Effect<A, unknown, AgentStores>) => Promise<A>,
  options: { readonly runs: number; readonly seed?: number; readonly shrink?: boolean }
): Promise<{ readonly seed: number; readonly failure: string | null }> => {
  const seed = options.seed ?? (Date.now() ^ (++draws << 16)) | 0
  const property = fc.asyncProperty(actions, (drawn) => provide(run(drawn)))
  const details = await fc.check(property, {
    numRuns: options.runs,
    seed,
    endOnFailure: !(options.shrink ?? true)
  })
  return { seed, failure: details.failed ? await fc.asyncDefaultReportMessage(details) ?? "failed" : null }
}
