import { assert, it } from "@effect/vitest"
import { Failpoints, Ledger, StoreUnavailable } from "@tapeline/core"
import {
  Analyst,
  ContentFiltered,
  ContextExceeded,
  ConversationStore,
  GenerationFailpoints,
  generationFailpoints,
  GenerationStore,
  ModelRateLimited,
  ModelRefused,
  ModelUnavailable
} from "@tapeline/core/agent"
import { createKeyedAccount, MemoryState, MemoryStores } from "@tapeline/testing"
import { readLog, shouldBeCharged } from "@tapeline/testing/agent/logChecks"
import {
  callPart,
  endPart,
  failWith,
  reasoningPart,
  type ScriptedAct,
  ScriptedModel,
  textPart,
  waitForCue,
  waitForever
} from "@tapeline/testing/agent/ScriptedModel"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { askQuestion, makeAgentEngine, makeEngineWithStores, readGenerationLog, ToolRecorder } from "./agentEngine.ts"

const runs = isFullRun ? 2_000 : 60

/** A database connection that breaks at each write for which `plan` contains true. */
class Faults {
  armed = false
  at = 0
  readonly plan: ReadonlyArray<boolean>

  constructor(plan: ReadonlyArray<boolean>) {
    this.plan = plan
  }

  readonly hook = (point: string) =>
    Effect.suspend(() =>
      this.armed && this.plan[this.at++] === true
        ? Effect.fail(new StoreUnavailable({ store: "test", cause: new Error(point) }))
        : Effect.void
    )

  get layer() {
    return Layer.mergeAll(Layer.succeed(GenerationFailpoints, this.hook), Layer.succeed(Failpoints, this.hook))
  }
}

const errors = [
  new ModelUnavailable({ detail: "reset" }),
  new ModelRateLimited({ retryAfterMs: 700 }),
  new ModelRefused({ detail: "no" }),
  new ContextExceeded({ detail: "long" }),
  new ContentFiltered({ detail: "content_filter" })
]
const act = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("BTC ", "🚀", "가격", "\ud83d", "\ude80", "\n\n").map(textPart) },
  { weight: 2, arbitrary: fc.constantFrom("hm", "\ud83d").map(reasoningPart) },
  {
    weight: 3,
    arbitrary: fc.constantFrom("price", "dear", "failing", "broken", "write_it", "none", "make_chart").map((name) =>
      callPart(name)
    )
  },
  { weight: 1, arbitrary: fc.constantFrom(...errors).map(failWith) },
  { weight: 1, arbitrary: fc.constantFrom(waitForCue(Effect.sleep(300)), waitForCue(Effect.sleep(30_000))) },
  { weight: 3, arbitrary: fc.constant(endPart) }
)
const script = fc.oneof(
  { weight: 12, arbitrary: fc.array(act, { minLength: 1, maxLength: 7 }).map((acts) => [...acts, endPart]) },
  { weight: 1, arbitrary: fc.constant<ReadonlyArray<ScriptedAct>>([textPart("half"), waitForever]) }
)
const plan = fc.record({
  scripts: fc.array(script, { minLength: 1, maxLength: 5 }),
  faults: fc.array(
    fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    {
      maxLength: 60
    }
  ),
  mishaps: fc.array(
    fc.record({
      afterMs: fc.constantFrom(0, 20, 41, 100, 1_000, 25_000),
      mishapKind: fc.constantFrom("nothing", "cancel", "takeover", "halt", "wake")
    }),
    { maxLength: 4 }
  )
})

type Plan = typeof plan extends fc.Arbitrary<infer A> ? A : never

const applyDisturbance = Effect.fnUntraced(function*(
  { afterMs, mishapKind }: Plan["mishaps"][number],
  principal: Parameters<Analyst["Service"]["findRunning"]>[0],
  { conversation, id }: { readonly conversation: number; readonly id: number }
) {
  yield* TestClock.adjust(afterMs)
  const analyst = yield* Analyst
  if (mishapKind === "cancel") yield* Effect.forkScoped(Effect.ignore(analyst.cancel(principal, conversation)))
  // Another runner takes the generation and crashes immediately.
  if (mishapKind === "takeover") yield* Effect.ignore((yield* GenerationStore).take(id, 0))
})

/** Runs one answer with the faults of a plan, and checks the invariants at the end. */
const oneAnswer = (plan: Plan) => {
  const faults = new Faults(plan.faults)
  const recorder = new ToolRecorder()
  const model = new ScriptedModel((_, n) => plan.scripts[n % plan.scripts.length]!)
  const engine = makeAgentEngine(model, { recorder }).pipe(
    Layer.provideMerge(MemoryStores),
    Layer.provide(faults.layer)
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const { generation } = yield* analyst.start({ principal, request: { message: "why?" } })
    faults.armed = true
    for (const one of plan.mishaps) yield* applyDisturbance(one, principal, generation)
    for (let i = 0; i < 300 && !(yield* readGenerationLog(generation.id)).isEnded; i++) yield* TestClock.adjust(5_000)
    faults.armed = false
    // A runner without a notification notices that another runner has taken the generation when it next writes.
    yield* TestClock.adjust(10_000)
    const { isEnded, events, logged } = yield* readGenerationLog(generation.id)
    assert.isTrue(isEnded, "the log ends")
    assert.deepStrictEqual(logged.map(({ n }) => n), logged.map((_, i) => i + 1))
    const read = readLog(events)
    const row = (yield* (yield* GenerationStore).find(generation.id))!
    assert.strictEqual(read.done?.outcome, row.outcome)
    assert.strictEqual(row.state, "closed")
    const page = yield* (yield* ConversationStore).messages(principal.account, generation.conversation, {
      limit: 10,
      cursor: null
    })
    const answers = page!.items.filter(({ role }) => role === "assistant")
    assert.isAtMost(answers.length, 1)
    assert.strictEqual(answers[0]?.content ?? "", read.text)
    const ledger = yield* Ledger
    const books = (yield* ledger.balance(principal.account))!
    assert.deepStrictEqual([books.reserved, books.used], [0, read.done!.credits_used])
    const entries = [...(yield* MemoryState).entries.values()].filter(({ account }) => account === principal.account)
    assert.lengthOf(entries, 1)
    assert.strictEqual(entries[0]!.state === "settled", read.done!.credits_used === 20)
    assert.strictEqual((yield* ledger.answersToday(principal.account)).count, read.done!.credits_used === 20 ? 1 : 0)
    if (!shouldBeCharged(read)) assert.strictEqual(read.done!.credits_used, 0)
    assert.deepStrictEqual(recorder.writes, [])
    assert.strictEqual(model.openStreams, 0)
    return read
  }).pipe(Effect.provide(engine), Effect.scoped)
}

it.effect(
  "keeps all invariants under random faults of the model, store, runners and user",
  () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          plan,
          (plan) =>
            Effect.runPromise(
              oneAnswer(plan).pipe(Effect.asVoid, Effect.provide([TestClock.layer(), Logger.layer([])]))
            )
        ),
        { numRuns: runs }
      )
    ),
  120_000
)

it.effect("neither loses nor duplicates output if the store's response to a write is lost", () =>
  Effect.gen(function*() {
    const scripts = [[textPart("One."), callPart("price"), endPart], [textPart("Two."), endPart]]
    for (const point of generationFailpoints) {
      if (!/append|store|end$|renew|take/.test(point)) continue
      for (let nth = 0; nth < 3; nth++) {
        let matchCount = 0
        const faults = new Faults([])
        const failpoint = (at: string) =>
          faults.armed && at === point && matchCount++ === nth
            ? Effect.fail(new StoreUnavailable({ store: "test", cause: new Error(at) }))
            : Effect.void
        const model = new ScriptedModel((_, n) => scripts[n % 2]!)
        const recorder = new ToolRecorder()
        const engine = makeAgentEngine(model, { recorder }).pipe(
          Layer.provideMerge(MemoryStores),
          Layer.provide(Layer.succeed(GenerationFailpoints, failpoint))
        )
        yield* Effect.gen(function*() {
          const { principal } = yield* createKeyedAccount()
          faults.armed = true
          const { generation } = yield* (yield* Analyst).start({ principal, request: { message: "why?" } })
          for (let i = 0; i < 30 && !(yield* readGenerationLog(generation.id)).isEnded; i++) {
            yield* TestClock.adjust(1_000)
          }
          const { events } = yield* readGenerationLog(generation.id)
          const read = readLog(events)
          assert.strictEqual(read.text, "One.\n\nTwo.", point)
          assert.deepStrictEqual([read.callIds, read.done?.credits_used], [["1.1"], 20], point)
          assert.deepStrictEqual(recorder.calls, ["price"], point)
        }).pipe(Effect.provide(Layer.fresh(engine)), Effect.provide(Logger.layer([])))
      }
    }
  }))

it.effect.each(
  [
    { what: "does not store them", point: "before:close" },
    { what: "stores them without a confirmation", point: "after:close" }
  ] as const
)("adds suggestions once to a finished answer after an outage in which the store $what", ({ point }) => {
  let failures = 3
  const hook = (at: string) =>
    at === point && failures-- > 0
      ? Effect.fail(new StoreUnavailable({ store: "test", cause: new Error(at) }))
      : Effect.void
  const model = new ScriptedModel(() => [textPart("The end."), endPart], {
    getOtherActs: () => [textPart("And ETH?"), endPart]
  })
  const engine = makeAgentEngine(model).pipe(
    Layer.provideMerge(MemoryStores),
    Layer.provide(Layer.succeed(GenerationFailpoints, hook))
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { generation } = yield* (yield* Analyst).start({ principal, request: { message: "BTC?" } })
    // The sweep closes the log 10 s after the end of the answer.
    yield* TestClock.adjust("2 seconds")
    const { isEnded, events } = yield* readGenerationLog(generation.id)
    assert.deepStrictEqual(events.filter(({ kind }) => kind === "suggest").map(({ data }) => data), [
      { questions: ["And ETH?"] }
    ])
    assert.isTrue(isEnded)
  }).pipe(Effect.provide(engine))
})

it.effect("charges an answer without text for a successful tool call, and counts it among the day's answers", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const emptyAnswer = yield* askQuestion(principal, { message: "Call a tool, then write nothing." })
    assert.deepInclude(emptyAnswer, { answer: "", outcome: "failed", credits_used: 20 })
    assert.deepStrictEqual(emptyAnswer.error, {
      code: "no_answer",
      message: "The model returned no answer; ask again, or ask a narrower question."
    })
    assert.strictEqual((yield* (yield* Ledger).answersToday(principal.account)).count, 1)
  }).pipe(
    Effect.provide(
      makeEngineWithStores(new ScriptedModel((_, n) => n === 0 ? [callPart("price"), endPart] : [endPart]))
    )
  ))

it.effect("fails an answer without any output as no_answer, uncharged", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const silent = yield* askQuestion(principal, { message: "why?" })
    assert.deepInclude(silent, { answer: "", outcome: "failed", credits_used: 0 })
    assert.strictEqual(silent.error?.code, "no_answer")
  }).pipe(Effect.provide(makeEngineWithStores(new ScriptedModel(() => [endPart])))))
