import { assert } from "@effect/vitest"
import { allScopes } from "@tapeline/core"
import { ConversationStore, GenerationLog, GenerationStore, type Outcome } from "@tapeline/core/agent"
import { Effect } from "effect"
import fc from "fast-check"
import { AgentStoresModel, type ModelConversation, type ModelGeneration } from "./AgentStoresModel.ts"
import {
  type AgentStores,
  answerMessage,
  answerPrice,
  deltaEvent,
  formatMessage,
  inConversation,
  makeEnd,
  makeStep,
  newAccount,
  questionMessage,
  readBalance,
  readWholeLog,
  repeatInConversation,
  reportMessage,
  startGeneration
} from "./fixtures.ts"

/**
 * An action of a model run. The two numbers select the objects of the action, such as an account and a conversation.
 */
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
  "forceEnd",
  "close",
  "report",
  "remove",
  "strange"
] as const

const outcomes: ReadonlyArray<Outcome> = ["finished", "cancelled", "failed"]

const actionsArbitrary = fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(1_000), fc.nat(1_000)), {
  minLength: 10,
  maxLength: 40
})

const pickItem = <A>(items: ReadonlyArray<A>, selector: number): A | undefined =>
  items[selector % Math.max(1, items.length)]

const startAndCheck = (
  model: AgentStoresModel,
  account: number,
  target: "New" | ModelConversation,
  isRepeat: boolean,
  text: string
) =>
  Effect.gen(function*() {
    const result = target === "New"
      ? yield* startGeneration(account, { question: questionMessage(text) })
      : yield* startGeneration(
        account,
        isRepeat
          ? { target: repeatInConversation(target.id), question: null }
          : { target: inConversation(target.id), question: questionMessage(text) }
      )
    // The credits of a rejected start stay reserved until the lease of the reservation expires.
    model.addCredits(model.reservedCredits, account, answerPrice)
    const running = target === "New" ? undefined : model.runningGeneration(target.id)
    if (target !== "New" && target.account !== account) {
      assert.deepStrictEqual(result, { _tag: "NoConversation" })
      return
    }
    if (running !== undefined) {
      assert.deepStrictEqual(result, { _tag: "Busy", generation: running.id })
      return
    }
    assert(result._tag === "Started", `expected a start, got ${result._tag}`)
    const { brief, conversation: id, epoch, question: questionId, id: generation } = result.generation
    const conversation = target === "New"
      ? {
        account,
        id,
        messages: new Map<number, string>(),
        question: questionId,
        answer: null,
        reports: new Map<string, number>()
      }
      : target
    if (target === "New") model.conversations.push(conversation)
    assert.strictEqual(brief.replaces, isRepeat ? conversation.answer : null)
    assert.strictEqual(epoch, 0)
    if (isRepeat) assert.strictEqual(questionId, conversation.question)
    else {
      conversation.messages.set(questionId, `user: ${text}`)
      Object.assign(conversation, { question: questionId, answer: null })
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

const applyEnd = (
  model: AgentStoresModel,
  generation: ModelGeneration,
  outcome: Outcome,
  text: string,
  isOpen: boolean,
  answerId: number | null
) => {
  const isStored = generation.replaces === null || outcome === "finished"
  assert.strictEqual(answerId !== null, isStored, "an answer is kept unless it fails to replace another")
  const conversation = model.conversations.find(({ id }) => id === generation.conversation)!
  if (answerId !== null) {
    if (generation.replaces !== null) conversation.messages.delete(generation.replaces)
    conversation.messages.set(answerId, `assistant: ${text}`)
    conversation.answer = answerId
  }
  Object.assign(generation, { state: isOpen ? "ended" : "closed", outcome, answer: answerId })
  generation.events.push("done")
  model.addCredits(model.reservedCredits, generation.account, -answerPrice)
  if (outcome !== "failed") model.addCredits(model.chargedCredits, generation.account, answerPrice)
}

const writeAndCheck = (
  model: AgentStoresModel,
  target: ModelGeneration,
  [kind, selector, variant]: Action,
  text: string
) =>
  Effect.gen(function*() {
    const generations = yield* GenerationStore
    const epoch = Math.max(0, target.epoch - (variant % 3 === 0 ? 1 : 0))
    const fence = { generation: target.id, epoch }
    const isOwner = target.state === "running" && epoch === target.epoch
    const outcome = outcomes[selector % 3]!
    const isOpen = variant % 2 === 0
    const end = makeEnd(target.conversation, { outcome, isOpen, answer: answerMessage(text, { outcome }) })
    switch (kind) {
      case "take": {
        const result = yield* generations.take(target.id, variant % 2 === 0 ? 0 : 600_000)
        const isTaken = target.state === "running" && (target.epoch === 0 || variant % 2 === 0)
        assert.strictEqual(result?.epoch, isTaken ? target.epoch + 1 : undefined)
        if (isTaken) target.epoch++
        return
      }
      case "append": {
        const texts = Array.from({ length: selector % 4 }, (_, i) => `${text}.${i}`)
        assert.strictEqual(yield* generations.append(fence, texts.map((each) => deltaEvent(each))), isOwner)
        if (isOwner) target.events.push(...texts.map((each) => `delta ${each}`))
        return
      }
      case "store": {
        assert.strictEqual(yield* generations.storeSteps(fence, [makeStep(text)], [deltaEvent(text)]), isOwner)
        if (isOwner) {
          target.steps.push(text)
          target.events.push(`delta ${text}`)
        }
        return
      }
      case "renew":
        return assert.strictEqual(yield* generations.renew(fence), isOwner)
      case "end": {
        const result = yield* generations.end(fence, end)
        assert.strictEqual(result.held, isOwner)
        return isOwner
          ? applyEnd(model, target, outcome, text, isOpen, result.answer?.id ?? null)
          : assert.isNull(result.answer)
      }
      case "forceEnd": {
        const result = yield* generations.forceEnd(target.id, ({ events, generation, steps }) => {
          assert.deepStrictEqual(steps.map(({ name }) => name), target.steps)
          assert.strictEqual(events.length, target.events.length)
          assert.strictEqual(generation.epoch, target.epoch)
          return end
        })
        assert.strictEqual(result !== null, target.state === "running")
        if (result === null) return
        target.epoch++
        return applyEnd(model, target, outcome, text, isOpen, result.answer)
      }
      case "close": {
        const isClosed = target.state === "ended"
        assert.strictEqual(yield* generations.close(target.id, isOpen ? [text] : []), isClosed)
        if (!isClosed) return
        target.state = "closed"
        if (isOpen && model.conversations.some(({ id }) => id === target.conversation)) target.events.push("suggest")
      }
    }
  })

const actOnConversation = (
  model: AgentStoresModel,
  conversation: ModelConversation,
  [kind, , variant]: Action,
  text: string
) =>
  Effect.gen(function*() {
    const conversations = yield* ConversationStore
    if (kind === "report") {
      const identity = `task:${variant % 3}`
      const message = yield* conversations.addReport(
        conversation.account,
        conversation.id,
        identity,
        reportMessage(text)
      )
      assert(message !== null)
      const knownId = conversation.reports.get(identity)
      assert.strictEqual(knownId ?? message.id, message.id)
      if (knownId === undefined) conversation.messages.set(message.id, `task: ${text}`)
      conversation.reports.set(identity, message.id)
      return
    }
    const result = yield* conversations.remove(conversation.account, conversation.id)
    assert.strictEqual(result, model.runningGeneration(conversation.id) === undefined ? "removed" : "running")
    if (result === "running") return
    model.conversations.splice(model.conversations.indexOf(conversation), 1)
    for (const generation of model.generations) if (generation.conversation === conversation.id) generation.events = []
  })

const audit = (model: AgentStoresModel, accounts: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const [generations, conversations, log] = yield* Effect.all([GenerationStore, ConversationStore, GenerationLog])
    for (const account of accounts) {
      const expected = model.conversations.filter((one) => one.account === account)
      const { items } = yield* conversations.list(account, { limit: 1_000, cursor: null, scopes: allScopes })
      assert.deepStrictEqual(items.map(({ id }) => id).toSorted((a, b) => a - b), expected.map(({ id }) => id))
      for (const one of expected) {
        const item = items.find(({ id }) => id === one.id)
        assert.strictEqual(item?.running, model.runningGeneration(one.id) !== undefined)
        assert.strictEqual(item?.messageCount, one.messages.size)
        const page = yield* conversations.messages(account, one.id, { limit: 1_000, cursor: null })
        assert.deepStrictEqual(
          page?.items.map(formatMessage),
          [...one.messages].sort(([a], [b]) => a - b).map(([, text]) => text)
        )
        const others = accounts.filter((other) => other !== account)
        for (const other of others) assert.isNull(yield* conversations.find(other, one.id))
      }
      const balance = yield* readBalance(account)
      assert.deepStrictEqual(balance, {
        used: model.chargedCredits.get(account) ?? 0,
        reserved: model.reservedCredits.get(account) ?? 0
      })
    }
    for (const one of model.generations) {
      const generation = yield* generations.find(one.id)
      const { answer, epoch, outcome, state } = generation!
      const { answer: modelAnswer, epoch: modelEpoch, outcome: modelOutcome, state: modelState } = one
      assert.deepStrictEqual({ answer, epoch, outcome, state }, {
        answer: modelAnswer,
        epoch: modelEpoch,
        outcome: modelOutcome,
        state: modelState
      })
      const { events, isEnded } = yield* readWholeLog(log, one.id)
      const conversationExists = model.conversations.some(({ id }) => id === one.conversation)
      assert.strictEqual(isEnded, one.state === "closed" || !conversationExists)
      assert.deepStrictEqual(events.map(({ n }) => n), events.map((_, i) => i + 1))
      assert.deepStrictEqual(
        events.map(({ data, kind }) => kind === "delta" ? `delta ${JSON.parse(data).text}` : kind),
        conversationExists ? one.events : []
      )
      assert.deepStrictEqual(
        (yield* generations.listSteps(one.id)).map(({ name }) => name),
        conversationExists ? one.steps : []
      )
    }
  })

const runActions = (steps: ReadonlyArray<Action>): Effect.Effect<void, unknown, AgentStores> =>
  Effect.gen(function*() {
    const model = new AgentStoresModel()
    const accounts = [yield* newAccount, yield* newAccount]
    for (const [i, action] of steps.entries()) {
      const [actionKind, selector, variant] = action
      const text = `text ${i}`
      const account = accounts[variant % 2]!
      const conversation = pickItem(model.conversations, selector)
      if (actionKind === "begin" || conversation === undefined) yield* startAndCheck(model, account, "New", false, text)
      else if (actionKind === "goOn") yield* startAndCheck(model, conversation.account, conversation, false, text)
      else if (actionKind === "again") yield* startAndCheck(model, conversation.account, conversation, true, text)
      else if (actionKind === "strange") {
        const other = accounts.find((one) => one !== conversation.account)!
        yield* startAndCheck(model, other, conversation, variant % 3 === 0, text)
      } else if (actionKind === "report" || actionKind === "remove") {
        yield* actOnConversation(model, conversation, action, text)
      } else yield* writeAndCheck(model, pickItem(model.generations, selector)!, action, text)
    }
    yield* audit(model, accounts)
  })

let runCount = 0

/**
 * Runs random actions against the agent's stores, and compares the results with a model. Returns the seed of the run.
 * After a failure, the result also contains the shortest failing sequence of actions.
 */
export const runAgentModel = async (
  provide: <A>(effect: Effect.Effect<A, unknown, AgentStores>) => Promise<A>,
  options: { readonly runs: number; readonly seed?: number; readonly shrink?: boolean }
): Promise<{ readonly seed: number; readonly failure: string | null }> => {
  const seed = options.seed ?? (Date.now() ^ (++runCount << 16)) | 0
  const property = fc.asyncProperty(actionsArbitrary, (actions) => provide(runActions(actions)))
  const result = await fc.check(property, {
    numRuns: options.runs,
    seed,
    endOnFailure: !(options.shrink ?? true)
  })
  return { seed, failure: result.failed ? await fc.asyncDefaultReportMessage(result) ?? "failed" : null }
}
