import { assert, it } from "@effect/vitest"
import { Ledger, PublicBaseUrl, StoreUnavailable } from "@tapeline/core"
import {
  Analyst,
  ConversationStore,
  GenerationFailpoints,
  GenerationStore,
  ImageMemory,
  ModelRateLimited,
  ModelRefused
} from "@tapeline/core/agent"
import { createKeyedAccount, MemoryState, MemoryStores } from "@tapeline/testing"
import { makeEnd, startNewGeneration } from "@tapeline/testing/agent/fixtures"
import {
  callPart,
  endPart,
  failWith,
  ScriptedModel,
  textPart,
  waitForCue,
  waitForever
} from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { foldEvents } from "../../src/agent/machine/shownOutput.ts"
import {
  advanceUntilDone,
  askQuestion,
  makeAgentEngine,
  makeEngineWithStores,
  readGenerationLog,
  ToolRecorder
} from "./agentEngine.ts"

/* Tests starts whose outcome is unknown, ends of runs, and generations whose steps cannot be read. */

it.effect("rejects a repeat of a start in progress, without replaying an earlier failure", () => {
  const latch = Latch.makeUnsafe(true)
  const hasArrived = Latch.makeUnsafe(false)
  const failpoint = (point: string) =>
    point === "before:start" ? Effect.andThen(hasArrived.open, latch.await) : Effect.void
  const model = new ScriptedModel((_, n) =>
    n === 0 ? [failWith(new ModelRefused({ detail: "no" }))] : [textPart("42"), endPart]
  )
  const engine = makeAgentEngine(model).pipe(
    Layer.provideMerge(MemoryStores),
    Layer.provide(Layer.succeed(GenerationFailpoints, failpoint))
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const question = { principal, request: { message: "why?" }, idempotencyKey: "k" }
    const first = yield* advanceUntilDone(analyst.answer(question))
    assert.strictEqual(first.answer.outcome, "failed")
    latch.closeUnsafe()
    hasArrived.closeUnsafe()
    const second = yield* Effect.forkChild(analyst.answer(question))
    yield* hasArrived.await
    const third = yield* Effect.flip(analyst.start(question))
    assert.strictEqual(third._tag, "RequestInProgress")
    latch.openUnsafe()
    const { answer, replayed } = yield* advanceUntilDone(Fiber.join(second))
    assert.deepStrictEqual([answer.answer, replayed], ["42", false])
    assert.strictEqual((yield* (yield* Ledger).balance(principal.account))?.used, 20)
  }).pipe(Effect.provide(engine))
})

it.effect("frees an idempotency key two seconds after a crash between the reservation and the start", () => {
  let failsBeforeStart = true
  const failpoint = (point: string) =>
    failsBeforeStart && point === "before:start" ? Effect.die("the process is gone") : Effect.void
  const engine = makeAgentEngine(new ScriptedModel(() => [textPart("42"), endPart])).pipe(
    Layer.provideMerge(MemoryStores),
    Layer.provide(Layer.succeed(GenerationFailpoints, failpoint))
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const question = { principal, request: { message: "why?" }, idempotencyKey: "k" }
    yield* Effect.exit(analyst.start(question))
    failsBeforeStart = false
    // Each rejected request returns the remaining time of the lease, after which a repeated request succeeds.
    for (const retryAfterMs of [2_000, 1_000]) {
      assert.deepInclude(yield* Effect.flip(analyst.start(question)), { _tag: "RequestInProgress", retryAfterMs })
      yield* TestClock.adjust("1 second")
    }
    const { answer } = yield* advanceUntilDone(analyst.answer(question))
    assert.deepInclude(answer, { answer: "42", credits_used: 20 })
    const ledger = yield* Ledger
    yield* TestClock.adjust("1 minute")
    assert.deepInclude(yield* ledger.balance(principal.account), { used: 20, reserved: 0 })
  }).pipe(Effect.provide(engine))
})

it.effect("starts an answer although the store needs longer than the lease of the reservation", () => {
  const hook = (point: string) => point === "before:start" ? Effect.sleep("9 seconds") : Effect.void
  const engine = makeAgentEngine(new ScriptedModel(() => [textPart("42"), endPart])).pipe(
    Layer.provideMerge(MemoryStores),
    Layer.provide(Layer.succeed(GenerationFailpoints, hook))
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    assert.deepInclude(yield* askQuestion(principal, { message: "why?" }), { answer: "42", credits_used: 20 })
  }).pipe(Effect.provide(engine))
})

it.effect("runs a generation without a runner within two seconds", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    // The process crashed, or gave up, before the generation was stored.
    const { id } = yield* startNewGeneration(principal.account)
    yield* TestClock.adjust("2 seconds")
    assert.isTrue((yield* readGenerationLog(id)).isEnded)
  }).pipe(Effect.provide(makeEngineWithStores(new ScriptedModel(() => [textPart("42"), endPart])))))

it.effect("sends no request to the model after another process cancelled the answer during a slow write", () => {
  const slow = Layer.effect(
    GenerationStore,
    Effect.map(GenerationStore, (store) => ({
      ...store,
      append: (...args) => Effect.tap(store.append(...args), () => Effect.sleep(80))
    }))
  )
  const model = new ScriptedModel(() => [textPart("42"), endPart])
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { generation } = yield* (yield* Analyst).start({ principal, request: { message: "why?" } })
    yield* TestClock.adjust(40)
    // Another process ends the generation before the runner's first write.
    const store = yield* GenerationStore
    yield* store.forceEnd(generation.id, () => makeEnd(generation.conversation, { outcome: "cancelled" }))
    yield* TestClock.adjust("1 second")
    assert.lengthOf(model.requests, 0)
  }).pipe(Effect.provide(makeAgentEngine(model).pipe(Layer.provide(slow), Layer.provideMerge(MemoryStores))))
})

it.effect("starts and charges an answer whose retried start finds its own first attempt", () => {
  const model = new ScriptedModel(() => [textPart("42"), endPart])
  // Simulates a database that commits the first attempt while the second attempt runs.
  const met = Layer.effect(
    GenerationStore,
    Effect.map(GenerationStore, (store) => ({
      ...store,
      start: (request) =>
        Effect.map(
          store.start(request),
          (start) => start._tag === "Started" ? { _tag: "Busy" as const, generation: start.generation.id } : start
        )
    }))
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { answer, replayed } = yield* advanceUntilDone(
      (yield* Analyst).answer({ principal, request: { message: "why?" } })
    )
    assert.isFalse(replayed)
    assert.deepInclude(answer, { answer: "42", credits_used: 20 })
  }).pipe(Effect.provide(makeAgentEngine(model).pipe(Layer.provide(met), Layer.provideMerge(MemoryStores))))
})

it.effect("ends a generation whose steps cannot be decoded", () => {
  const model = new ScriptedModel(() => [textPart("so far"), waitForever])
  return Effect.forEach(["cancelled", "failed"] as const, (outcome) =>
    Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const analyst = yield* Analyst
      const { generation: { conversation, id } } = yield* analyst.start({ principal, request: { message: "why?" } })
      yield* TestClock.adjust(100)
      // The stored step is of another version of the service, which has other kinds of steps.
      const generations = yield* GenerationStore
      const fence = { generation: id, epoch: (yield* generations.find(id))!.epoch }
      assert.isTrue(yield* generations.storeSteps(fence, [{ name: "plan:1", content: { idea: 1 } }], []))
      if (outcome === "cancelled") assert.isTrue(yield* analyst.cancel(principal, conversation))
      else {
        assert.isNotNull(yield* generations.take(id, 0))
        yield* TestClock.adjust("40 seconds")
      }
      const { isEnded, events } = yield* readGenerationLog(id)
      assert.isTrue(isEnded, outcome)
      const done = events.find(({ kind }) => kind === "done")
      assert(done?.kind === "done")
      assert.strictEqual(done.data.outcome, outcome)
      assert.strictEqual(done.data.credits_used, outcome === "cancelled" ? 20 : 0)
      assert.isNull(yield* analyst.findRunning(principal, conversation))
      const entries = [...(yield* MemoryState).entries.values()].filter(({ account }) => account === principal.account)
      assert.deepStrictEqual(entries.map(({ state }) => state), [outcome === "cancelled" ? "settled" : "released"])
    }).pipe(Effect.provide(makeEngineWithStores(model))), { discard: true })
})

it.effect("continues after a model stream and a tool interrupt themselves", () => {
  const model = new ScriptedModel((_, n) =>
    n === 0
      ? [textPart("I"), waitForCue(Effect.interrupt)]
      : n === 1
      ? [callPart("interrupted"), endPart]
      : [textPart("Fine."), endPart]
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const answer = yield* askQuestion(principal, { message: "why?" })
    assert.deepInclude(answer, { answer: "Fine.", outcome: "finished" })
    assert.isBelow(answer.took_ms, 10_000)
    const [result] = model.requests[2]!.turns.filter((turn) => turn._tag === "Result")
    assert.deepInclude(result, { name: "interrupted", ok: false })
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("gives an answer time to finish after a late takeover, but not after repeated takeovers", () => {
  const model = new ScriptedModel(({ step, tools }) =>
    step === 1
      ? [textPart("First."), callPart("price"), endPart]
      : tools.length > 0
      ? [waitForever]
      : [waitForCue(Effect.sleep(900)), textPart("Then."), endPart]
  )
  const engine = Layer.fresh(makeAgentEngine(model))
  return Effect.gen(function*() {
    const began = Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const { generation } = yield* (yield* Analyst).start({ principal, request: { message: "why?" } })
      yield* TestClock.adjust(200)
      return generation.id
    })
    const ids = [yield* Effect.provide(began, engine), yield* Effect.provide(began, engine)]
    // Time without a running process does not count towards the time limit of the answer.
    yield* TestClock.adjust("8 hours")
    yield* Effect.provide(TestClock.adjust(200), engine)
    // A takeover grants time for a last step, unless the generation has had too many takeovers.
    const generations = yield* GenerationStore
    for (let i = 0; i < 6; i++) yield* generations.take(ids[1]!, 0)
    yield* TestClock.adjust("1 minute")
    yield* Effect.provide(TestClock.adjust(2_000), engine)
    const texts = yield* Effect.forEach(
      ids,
      (id) => Effect.map(readGenerationLog(id), ({ events }) => foldEvents(events).text)
    )
    assert.deepStrictEqual(texts, ["First.\n\nThen.", "First."])
  }).pipe(Effect.provide(MemoryStores))
})

/** A store that freezes its process after the `nth` write of a kind, until `moves` is open. */
const makeFreezingStore = (write: "append" | "store" | "end", nth: number) => {
  const moves = Latch.makeUnsafe(true)
  let times = 0
  const layer = Layer.effect(
    GenerationStore,
    Effect.map(GenerationStore, (store) => {
      const runUnlessFrozen = <A, E>(name: string, work: Effect.Effect<A, E>) =>
        moves.await.pipe(
          Effect.andThen(work),
          Effect.tap(() => Effect.sync(() => name === write && ++times === nth && moves.closeUnsafe())),
          Effect.tap(() => moves.await)
        )
      return GenerationStore.of({
        ...store,
        append: (...args) => runUnlessFrozen("append", store.append(...args)),
        storeSteps: (...args) => runUnlessFrozen("store", store.storeSteps(...args)),
        renew: (fence) => runUnlessFrozen("renew", store.renew(fence)),
        end: (...args) => runUnlessFrozen("end", store.end(...args)),
        listAbandoned: (...args) => runUnlessFrozen("abandoned", store.listAbandoned(...args)),
        sweep: (options) => runUnlessFrozen("sweep", store.sweep(options))
      })
    })
  )
  return { layer, moves }
}

it.effect("sends no model request and calls no tool after a freeze that outlasts the lease", () => {
  const scripts = [[textPart("One."), callPart("price"), endPart], [textPart("Two."), endPart]]
  const limited = failWith(new ModelRateLimited({ retryAfterMs: null }))
  const cases = [
    // The process freezes before its first request, before a tool call, before a second attempt, and before the
    // suggestions.
    { write: "append", nth: 1, modelScripts: scripts, requestCounts: [0, 0], called: 0 },
    { write: "store", nth: 1, modelScripts: scripts, requestCounts: [1, 0], called: 0 },
    { write: "append", nth: 2, modelScripts: [[limited]], requestCounts: [1, 0], called: 0 },
    { write: "end", nth: 1, modelScripts: scripts, requestCounts: [2, 0], called: 1 }
  ] as const
  return Effect.forEach(cases, ({ requestCounts, called, nth, modelScripts, write }) =>
    Effect.gen(function*() {
      const { layer, moves } = makeFreezingStore(write, nth)
      const [first, next] = [
        new ScriptedModel((_, n) => modelScripts[n]!),
        new ScriptedModel(({ step }) => scripts[step - 1]!)
      ]
      const [recorder, others] = [new ToolRecorder(), new ToolRecorder()]
      yield* Effect.gen(function*() {
        const { principal } = yield* createKeyedAccount()
        const { generation: { id } } = yield* (yield* Analyst).start({ principal, request: { message: "why?" } })
        yield* TestClock.adjust(5_000)
        assert.isFalse(moves.isOpen(), `${write} ${nth} is never made`)
        yield* Effect.provide(TestClock.adjust("40 seconds"), Layer.fresh(makeAgentEngine(next, { recorder: others })))
        const before = yield* readGenerationLog(id)
        assert.isTrue(before.isEnded)
        moves.openUnsafe()
        yield* TestClock.adjust("10 seconds")
        const count = (purpose: string) => first.requests.filter((request) => request.purpose === purpose).length
        assert.deepStrictEqual([count("answer"), count("suggest")], [...requestCounts], `${write} ${nth}`)
        assert.lengthOf(recorder.calls, called, `${write} ${nth}`)
        assert.deepStrictEqual((yield* readGenerationLog(id)).logged, before.logged)
      }).pipe(Effect.provide(Layer.fresh(makeAgentEngine(first, { recorder }).pipe(Layer.provide(layer)))))
    }).pipe(Effect.provide(Layer.fresh(MemoryStores))), { discard: true })
})

it.effect("retries a failed read of a run's inputs without waiting for a sweep", () => {
  const reads = ["memory", "steps"] as const
  return Effect.forEach(reads, (read) => {
    let failures = 2
    const failWhileUnavailable = <A, E>(work: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> =>
        failures-- > 0 ? Effect.fail(new StoreUnavailable({ store: "test", cause: new Error("reset") })) : work
      )
    const flakyStores = Layer.mergeAll(
      Layer.effect(
        ConversationStore,
        Effect.map(
          ConversationStore,
          (store) =>
            read === "memory"
              ? { ...store, readHistory: (...args) => failWhileUnavailable(store.readHistory(...args)) }
              : store
        )
      ),
      Layer.effect(
        GenerationStore,
        Effect.map(
          GenerationStore,
          (store) =>
            read === "steps" ? { ...store, listSteps: (id) => failWhileUnavailable(store.listSteps(id)) } : store
        )
      )
    )
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const answer = yield* askQuestion(principal, { message: "why?" })
      assert.strictEqual(answer.answer, "42")
      assert.isBelow(answer.took_ms, 5_000, read)
    }).pipe(
      Effect.provide(
        makeAgentEngine(new ScriptedModel(() => [textPart("42"), endPart])).pipe(
          Layer.provide(flakyStores),
          Layer.provideMerge(Layer.fresh(MemoryStores))
        )
      )
    )
  }, { discard: true })
})

it.effect("limits the memory for images of running answers, and cancels an answer that waits for it", () => {
  const gif = (bytes: number) =>
    `data:image/gif;base64,${
      Buffer.concat([Buffer.from("GIF89a\u0001\0\u0001\0"), Buffer.alloc(bytes - 10)]).toString("base64")
    }`
  const latch = Latch.makeUnsafe(false)
  const model = new ScriptedModel(() => [waitForCue(latch.await), textPart("42"), endPart])
  const engine = makeAgentEngine(model).pipe(
    Layer.provide(Layer.succeed(ImageMemory, 3_000)),
    Layer.provideMerge(Layer.fresh(MemoryStores))
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const begin = (message: string, ...images: ReadonlyArray<string>) =>
      Effect.tap(
        Effect.map(analyst.start({ principal, request: { message, images } }), ({ generation }) => generation),
        TestClock.adjust(100)
      )
    const answerQuestions = () =>
      model.requests.filter(({ purpose }) => purpose === "answer").map(({ brief }) => brief.question)
    const requestImages = () =>
      model.requests.map(({ turns }) => turns.flatMap((turn) => turn._tag === "User" ? turn.images : []))
    yield* begin("first", gif(1_000), gif(1_000))
    const outcome = yield* begin("larger than all", gif(9_000))
    const left = yield* begin("left", gif(2_000))
    // The memory would suffice for the small image, but answers that started earlier get memory first.
    const small = yield* begin("small", gif(500))
    yield* begin("none")
    assert.deepStrictEqual(answerQuestions(), ["first", "none"])
    assert.lengthOf(requestImages()[0]!, 2)
    yield* analyst.cancel(principal, left.conversation)
    latch.openUnsafe()
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(answerQuestions(), ["first", "none", "larger than all", "small"])
    for (const { id } of [outcome, small]) assert.isTrue((yield* readGenerationLog(id)).isEnded)
    assert.strictEqual(requestImages().flat().reduce((sum, { bytes }) => sum + bytes.length, 0), 2_000 + 9_000 + 500)
  }).pipe(Effect.provide(engine))
})

it.effect("returns chart URLs under the base URL of the request, whichever process draws the chart", () => {
  const model = new ScriptedModel((_, n) =>
    n === 0 ? [waitForever] : n === 1 ? [callPart("make_chart"), endPart] : [textPart("See."), endPart]
  )
  const engine = Layer.fresh(makeAgentEngine(model))
  return Effect.gen(function*() {
    const generation = yield* Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const { generation } = yield* (yield* Analyst).start({ principal, request: { message: "draw it" } })
      yield* TestClock.adjust(200)
      return generation
    }).pipe(Effect.provideService(PublicBaseUrl, "https://api.example.com"), Effect.provide(engine))
    yield* Effect.gen(function*() {
      const answer = yield* advanceUntilDone((yield* Analyst).awaitAnswer(generation))
      assert.deepStrictEqual(answer.charts, ["https://api.example.com/v1/charts/9"])
    }).pipe(Effect.provide(engine))
  }).pipe(Effect.provide(MemoryStores))
})
