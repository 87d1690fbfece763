import { assert, it } from "@effect/vitest"
import { allScopes, type Principal, type Scope } from "@tapeline/core"
import { Analyst, ConversationStore, GenerationStore } from "@tapeline/core/agent"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { callPart, endPart, ScriptedModel, textPart, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { Context, Effect, Exit, Layer, Scope as EffectScope } from "effect"
import { TestClock } from "effect/testing"
import { advanceUntilDone, makeAgentEngine, makeEngineWithStores } from "./agentEngine.ts"

const settle = TestClock.adjust(60)

const page = { limit: 10, cursor: null }

const withScopes = (principal: Principal, ...scopes: ReadonlyArray<Scope>): Principal => ({ ...principal, scopes })

const codeOf = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.match(effect, {
    onFailure: (error) => "required_scope" in error ? error.required_scope : error._tag,
    onSuccess: () => "done"
  })

const operations = Effect.fnUntraced(function*(principal: Principal, conversation: number) {
  const analyst = yield* Analyst
  return yield* Effect.forEach([
    analyst.getConversation(principal, conversation, page),
    analyst.findRunning(principal, conversation),
    analyst.findEnded(principal, conversation, 1),
    analyst.cancel(principal, conversation),
    analyst.start({ principal, request: { message: "?", conversation_id: conversation } }),
    analyst.start({ principal, request: { message: "", conversation_id: conversation, regenerate: true } }),
    analyst.remove(principal, conversation)
  ], (effect) => codeOf<unknown>(effect))
})

const listed = (principal: Principal) =>
  Effect.flatMap(
    Analyst,
    (analyst) => Effect.map(analyst.listConversations(principal, page), ({ items }) => items.map(({ id }) => id))
  )

it.effect("hides a conversation from a key without a scope that its answers used", () => {
  const model = new ScriptedModel((_, n) => {
    const name = ["price", "mine"][n / 2]
    return n % 2 === 0 && name !== undefined ? [callPart(name), endPart] : [textPart("so"), endPart]
  })
  return Effect.gen(function*() {
    const analyst = yield* Analyst
    const { principal } = yield* createKeyedAccount({ scopes: allScopes })
    const ask = Effect.map(analyst.answer({ principal, request: { message: "why?" } }), ({ answer }) => answer)
    const market = (yield* ask).conversation_id
    const personal = (yield* ask).conversation_id
    const chat = withScopes(principal, "agent:chat")
    const reader = withScopes(principal, "agent:chat", "read:personal")
    assert.deepStrictEqual(yield* listed(principal), [personal, market])
    assert.deepStrictEqual(yield* listed(reader), [personal, market])
    assert.deepStrictEqual(yield* listed(chat), [market])
    assert.deepStrictEqual(new Set(yield* operations(chat, personal)), new Set(["read:personal"]))
    const view = yield* analyst.getConversation(reader, personal, page)
    assert.strictEqual(view.messages.items.length, 2)
    assert.strictEqual((yield* analyst.getConversation(chat, market, page)).messages.items.length, 2)
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("shows a running answer only to a key with each personal scope that the answer can use", () => {
  const model = new ScriptedModel((_, n) => n === 0 ? [textPart("x"), waitForever] : [textPart("y"), endPart])
  return Effect.gen(function*() {
    const analyst = yield* Analyst
    const { principal } = yield* createKeyedAccount({ scopes: allScopes })
    const idempotencyKey = "once"
    const request = { message: "why?" }
    const { generation } = yield* analyst.start({ principal, request, idempotencyKey })
    yield* settle
    const chat = withScopes(principal, "agent:chat")
    assert.strictEqual(yield* codeOf(analyst.findRunning(chat, generation.conversation)), "read:personal")
    assert.strictEqual(yield* codeOf(analyst.start({ principal: chat, request, idempotencyKey })), "read:personal")
    assert.strictEqual((yield* analyst.findRunning(principal, generation.conversation))?.id, generation.id)
    yield* analyst.cancel(principal, generation.conversation)
    assert.isNull(yield* analyst.findRunning(chat, generation.conversation))
    assert.deepStrictEqual(yield* listed(chat), [generation.conversation])
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("lets a task answer in a conversation of any scopes", () => {
  const model = new ScriptedModel((_, n) => n === 0 ? [callPart("mine"), endPart] : [textPart("so"), endPart])
  return Effect.gen(function*() {
    const analyst = yield* Analyst
    const { principal } = yield* createKeyedAccount({ scopes: allScopes })
    const { answer } = yield* analyst.answer({ principal, request: { message: "why?" } })
    const conversation_id = answer.conversation_id
    const task: Principal = { ...withScopes(principal, "agent:chat"), actor: { _tag: "Task", task: 1 } }
    const secondAnswer = yield* analyst.answer({ principal: task, request: { message: "and now?", conversation_id } })
    assert.strictEqual(secondAnswer.answer.outcome, "finished")
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("adds the scope to the conversation of an answer that another version began", () => {
  const before = new ScriptedModel((_, n) => n === 0 ? [callPart("mine"), endPart] : [textPart("you"), waitForever])
  const after = new ScriptedModel(() => [textPart("You hold 3."), endPart])
  return Effect.gen(function*() {
    const stores = yield* Layer.build(MemoryStores)
    const conversations = Context.get(stores, ConversationStore)
    const withoutScopeMarks = Context.add(
      stores,
      ConversationStore,
      ConversationStore.of({ ...conversations, addScope: () => Effect.void })
    )
    const scope = yield* EffectScope.make()
    const old = yield* Layer.buildWithScope(
      makeAgentEngine(before).pipe(Layer.provideMerge(Layer.succeedContext(withoutScopeMarks))),
      scope
    )
    const { principal } = yield* Effect.provideContext(createKeyedAccount({ scopes: allScopes }), old)
    const { generation } = yield* Context.get(old, Analyst).start({ principal, request: { message: "why?" } })
    yield* settle
    yield* EffectScope.close(scope, Exit.void)
    const analyst = Context.get(
      yield* Layer.build(makeAgentEngine(after).pipe(Layer.provideMerge(Layer.succeedContext(stores)))),
      Analyst
    )
    yield* advanceUntilDone(analyst.awaitAnswer(generation))
    assert.deepStrictEqual((yield* conversations.find(principal.account, generation.conversation))?.scopes, [
      "read:personal"
    ])
  }).pipe(Effect.scoped)
})

it.effect("adds no scope for a rejected call of an answer that another process continues", () => {
  const before = new ScriptedModel((_, n) => n === 0 ? [callPart("mine"), endPart] : [textPart("you"), waitForever])
  const after = new ScriptedModel(() => [textPart("I may not read that."), endPart])
  return Effect.gen(function*() {
    const stores = Layer.succeedContext(yield* Layer.build(MemoryStores))
    const scope = yield* EffectScope.make()
    const first = yield* Layer.buildWithScope(makeAgentEngine(before).pipe(Layer.provideMerge(stores)), scope)
    const { principal } = yield* Effect.provideContext(createKeyedAccount({ scopes: ["agent:chat"] }), first)
    // The key has lost the scope since the transport admitted the request.
    const admitted = withScopes(principal, ...allScopes)
    const { generation } = yield* Context.get(first, Analyst).start({ principal: admitted, request: { message: "?" } })
    const { listSteps } = Context.get(first, GenerationStore)
    yield* Effect.repeat(Effect.andThen(settle, listSteps(generation.id)), {
      until: (steps) => steps.some(({ name }) => name.startsWith("call:"))
    })
    yield* EffectScope.close(scope, Exit.void)
    const analyst = Context.get(yield* Layer.build(makeAgentEngine(after).pipe(Layer.provideMerge(stores))), Analyst)
    yield* advanceUntilDone(analyst.awaitAnswer(generation))
    const { messages } = yield* analyst.getConversation(principal, generation.conversation, page)
    assert.deepStrictEqual(messages.items.at(-1)?.tools, [{ name: "mine", ok: false, callId: "1.1" }])
  }).pipe(Effect.scoped)
})

it.effect("hides a question with the result of a personal tool before its answer begins", () => {
  const model = new ScriptedModel(() => [waitForever])
  return Effect.gen(function*() {
    const stores = yield* Layer.build(MemoryStores)
    const conversations = ConversationStore.of({
      ...Context.get(stores, ConversationStore),
      addScope: () => Effect.never
    })
    const engine = yield* Layer.build(
      makeAgentEngine(model).pipe(
        Layer.provideMerge(Layer.succeedContext(Context.add(stores, ConversationStore, conversations)))
      )
    )
    const { principal } = yield* Effect.provideContext(createKeyedAccount({ scopes: allScopes }), engine)
    const analyst = Context.get(engine, Analyst)
    const request = { message: "How is it?", seed_context: { mine: { value: 3 } } }
    const { generation } = yield* analyst.start({ principal, request })
    const chat = withScopes(principal, "agent:chat")
    assert.strictEqual(yield* codeOf(analyst.getConversation(chat, generation.conversation, page)), "read:personal")
  }).pipe(Effect.scoped)
})

it.effect("shows no message to a key if an answer adds a scope while the messages are read", () => {
  const model = new ScriptedModel(() => [textPart("so"), endPart])
  return Effect.gen(function*() {
    const stores = yield* Layer.build(MemoryStores)
    const conversations = Context.get(stores, ConversationStore)
    const racing = ConversationStore.of({
      ...conversations,
      messages: (account, conversation, page) =>
        Effect.tap(
          conversations.messages(account, conversation, page),
          () => conversations.addScope(account, conversation, "read:personal")
        )
    })
    const engine = yield* Layer.build(
      makeAgentEngine(model).pipe(
        Layer.provideMerge(Layer.succeedContext(Context.add(stores, ConversationStore, racing)))
      )
    )
    const { principal } = yield* Effect.provideContext(createKeyedAccount({ scopes: allScopes }), engine)
    const analyst = Context.get(engine, Analyst)
    const { answer } = yield* analyst.answer({ principal, request: { message: "why?" } })
    const chat = withScopes(principal, "agent:chat")
    assert.strictEqual(yield* codeOf(analyst.getConversation(chat, answer.conversation_id, page)), "read:personal")
  }).pipe(Effect.scoped)
})

it.effect("adds no scope to a conversation for a call that the key may not make", () => {
  const model = new ScriptedModel((_, n) => n === 0 ? [callPart("mine"), endPart] : [textPart("so"), endPart])
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount({ scopes: allScopes })
    const chat = withScopes(principal, "agent:chat")
    yield* (yield* Analyst).answer({ principal: chat, request: { message: "why?" } })
    assert.lengthOf(yield* listed(chat), 1)
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("requires the scope of a tool whose result is in seed_context, and hides the conversation", () => {
  const model = new ScriptedModel(() => [textPart("You hold 3."), endPart])
  return Effect.gen(function*() {
    const analyst = yield* Analyst
    const { principal } = yield* createKeyedAccount({ scopes: allScopes })
    const chat = withScopes(principal, "agent:chat")
    const ask = (principal: Principal, seed_context: object) =>
      analyst.answer({ principal: principal, request: { message: "How is it?", seed_context } })
    assert.strictEqual(yield* codeOf(ask(chat, { mine: { value: 3 } })), "read:personal")
    assert.strictEqual(yield* codeOf(ask(chat, { write_it: { value: 3 } })), "write:personal")
    const { answer: { conversation_id: market } } = yield* ask(chat, { price: { value: 3 }, note: "mine" })
    const { answer: { conversation_id: personal } } = yield* ask(principal, { mine: { value: 3 } })
    assert.deepStrictEqual(yield* listed(chat), [market])
    assert.deepStrictEqual(yield* listed(principal), [personal, market])
    assert.strictEqual(yield* codeOf(analyst.getConversation(chat, personal, page)), "read:personal")
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})
