import { assert, describe, it } from "@effect/vitest"
import { Analyst, type ChatMessage, ConversationStore, type ModelRequest } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import { createKeyedAccount } from "@tapeline/testing"
import { callPart, endPart, type ScriptedAct, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { readPreviousProposals } from "../../src/agent/run/loadInputs.ts"
import { askQuestion, makeEngineWithStores } from "./agentEngine.ts"
import { Journal, makeJournalTools } from "./journalTools.ts"

const long = { coin: "BTC", side: "long", entry: 60_000, stop: 58_000 }
const attack = { coin: "PEPE", side: "long", leverage: 50, size_usd: 20_000 }
const propose = (tool: string, args: unknown): ScriptedAct => callPart("propose_write", { tool, arguments: args })

/** A model that performs `acts` after each user message, and ends with `text`. */
const makeScriptedModel = () => {
  const script: { acts: ReadonlyArray<ScriptedAct>; readonly text: string } = { acts: [], text: "So it is." }
  const model = new ScriptedModel((request) =>
    request.turns.at(-1)?._tag === "User" && script.acts.length > 0
      ? [...script.acts, endPart]
      : [textPart(script.text), endPart]
  )
  return { script, model }
}

const makeProposalBench = () => {
  const journal = new Journal()
  const { model, script } = makeScriptedModel()
  const engine = makeEngineWithStores(model, { toolbox: makeJournalTools(journal, () => "quiet") })
  return { journal, model, script, engine }
}

const answerRequests = (model: ScriptedModel): ReadonlyArray<ModelRequest> =>
  model.requests.filter(({ purpose }) => purpose === "answer")
const toolNamesOf = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? []
const results = (model: ScriptedModel): ReadonlyArray<string> =>
  answerRequests(model).at(-1)!.turns.flatMap((turn) => turn._tag === "Result" ? [turn.text] : [])

describe("Proposal of a write", () => {
  const accepting: ReadonlyArray<readonly [Language, question: string, yes: string, words: string]> = [
    [
      "en",
      "How would you trade BTC?",
      "yes",
      "Record a new position: coin `BTC`, side `long`, entry `60000`, stop `58000`"
    ],
    ["ko", "비트코인은 어때?", "네", "새 포지션 기록: 코인 `BTC`, 방향 `long`, 진입가 `60000`, 손절가 `58000`"],
    [
      "ru",
      "Что скажешь о биткоине?",
      "да",
      "Записать новую позицию: монета `BTC`, направление `long`, вход `60000`, стоп `58000`"
    ]
  ]
  it.effect("is shown exactly, and executed after a yes, in every language", () =>
    Effect.forEach(accepting, ([lang, message, yes, words]) => {
      const { engine, journal, model, script } = makeProposalBench()
      return Effect.gen(function*() {
        const { principal } = yield* createKeyedAccount()
        script.acts = [propose("set_position", long)]
        const { answer, conversation_id } = yield* askQuestion(principal, { message, lang })
        const exact = `\`set_position ${JSON.stringify(long)}\``
        assert.isTrue(answer.startsWith("So it is.\n\n") && answer.endsWith(`1. ${words} — ${exact}`), answer)
        assert.deepStrictEqual(journal.writes, [])
        assert.isFalse(toolNamesOf(answerRequests(model)[0]).includes("set_position"))
        assert.isTrue(toolNamesOf(answerRequests(model)[0]).includes("propose_write"))
        script.acts = [callPart("set_position", long)]
        yield* askQuestion(principal, { message: yes, conversation_id })
        assert.deepStrictEqual(journal.writes, [["set_position", long]])
        const request = answerRequests(model).at(-2)!
        assert.deepStrictEqual(request.brief.accepted, [{ tool: "set_position", arguments: long }])
        assert.include(request.instructions, JSON.stringify([{ tool: "set_position", arguments: long }]))
        assert.isTrue(toolNamesOf(request).includes("set_position"))
      }).pipe(Effect.provide(engine))
    }, { discard: true }))

  it.effect("permits no write other than the accepted call", () => {
    const { engine, journal, model, script } = makeProposalBench()
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      script.acts = [propose("set_position", long)]
      const { conversation_id } = yield* askQuestion(principal, { message: "How would you trade BTC?" })
      script.acts = [
        callPart("set_position", { ...long, leverage: 50 }),
        callPart("set_position", { ...long, stop: 59_000 }),
        callPart("update_position", { id: 17, stop: 1 }),
        propose("set_position", long),
        callPart("set_position", { coin: "BTC", side: "long", entry: 60_000 })
      ]
      const { answer } = yield* askQuestion(principal, { message: "yes", conversation_id })
      assert.deepStrictEqual(journal.writes, [])
      assert.isFalse(toolNamesOf(answerRequests(model).at(-1)).includes("update_position"))
      assert.isTrue(results(model).some((text) => text.includes("asked_for") && text.includes("itself")))
      // The second answer shows no proposal that another "yes" could accept.
      assert.strictEqual(answer, "So it is.")
      script.acts = [callPart("set_position", long)]
      yield* askQuestion(principal, { message: "yes", conversation_id })
      assert.deepStrictEqual(journal.writes, [])
    }).pipe(Effect.provide(engine))
  })

  it.effect("is rejected, like a write, if it omits a number of the message, with that number named", () => {
    const { engine, journal, model, script } = makeProposalBench()
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const message = "open a BTC long 0.2 at 60000 stop 58000"
      for (const act of [callPart("set_position", long), propose("set_position", long)]) {
        script.acts = [act]
        const { answer, conversation_id } = yield* askQuestion(principal, { message })
        assert.strictEqual(answer, "So it is.")
        assert.isTrue(results(model).some((text) => text.includes("`0.2`")), results(model).join())
        script.acts = [callPart("set_position", long)]
        yield* askQuestion(principal, { message: "yes", conversation_id })
        assert.deepStrictEqual(journal.writes, [])
      }
    }).pipe(Effect.provide(engine))
  })

  it.effect("is rejected with the reason if its call is invalid, and limited to three in an answer", () => {
    const { engine, model, script } = makeProposalBench()
    const stop = (stop: number) => propose("update_position", { id: 17, stop })
    const invalidProposals: ReadonlyArray<readonly [ScriptedAct, told: string]> = [
      [callPart("propose_write", "no json"), "not valid JSON"],
      [callPart("propose_write", {}), "`tool`"],
      [callPart("propose_write", { tool: "set_position", arguments: "{}" }), "`arguments`, an object"],
      [callPart("propose_write", { tool: "set_position", arguments: long, note: 1 }), "`tool`"],
      [propose("get_positions", {}), "update_watchlist"],
      [propose("propose_write", { tool: "set_position", arguments: long }), "set_position"],
      [propose("no_such_tool", {}), "Only tools that write"],
      [propose("set_position", { ...long, side: "up" }), "`side`"],
      [propose("set_position", { side: "long" }), "`coin`: This argument is required."],
      [propose("set_position", { ...long, entry: "60000" }), "`entry`"],
      [propose("set_position", { ...long, extra: 1 }), "`extra`"],
      [propose("set_position", { ...long, notes: "a`b" }), "backticks"],
      [propose("set_position", { ...long, notes: "a\u200bb" }), "invisible"],
      [propose("set_position", { ...long, notes: "a\u202eb" }), "invisible"],
      [propose("set_position", { ...long, notes: "x".repeat(600) }), "600"]
    ]
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      script.acts = invalidProposals.map(([act]) => act)
      assert.strictEqual((yield* askQuestion(principal, { message: "How would you trade BTC?" })).answer, "So it is.")
      for (const [i, text] of results(model).entries()) {
        assert.include(JSON.parse(text).error.message, invalidProposals[i]![1])
        assert.isFalse(JSON.parse(text).error.retryable)
      }
      assert.lengthOf(results(model), invalidProposals.length)
      script.acts = [stop(1), stop(2), stop(1), stop(3), stop(4), callPart("update_position", { id: 17, stop: 5 })]
      const { answer, credits_used } = yield* askQuestion(principal, { message: "How would you trade BTC?" })
      const proposedStops = [...answer.matchAll(/`update_position (\{[^`]*\})`/g)].map(([, args]) =>
        JSON.parse(args!).stop
      )
      assert.deepStrictEqual([proposedStops, credits_used], [[1, 2, 3], 20])
      assert.include(results(model)[4], "at most 3")
      script.acts = [propose("update_position", { id: 17, stop: 58_000 })]
      const direct = yield* askQuestion(principal, { message: "Move the stop of position 17 to 58,000" })
      assert.strictEqual(direct.answer, "So it is.")
    }).pipe(Effect.provide(engine))
  })

  it.effect("is dropped if the same answer makes the write later", () => {
    const journal = new Journal()
    const stop = { id: 17, stop: 58_000 }
    const steps = [[propose("update_position", stop), callPart("get_positions")], [callPart("update_position", stop)]]
    const model = new ScriptedModel(({ step }) => [...steps[step - 1] ?? [textPart("Moved.")], endPart])
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      // The journal identifies the position only in the second step, after the model has read the journal.
      const { answer } = yield* askQuestion(principal, { message: "Move my BTC stop to 58,000" })
      assert.deepStrictEqual([journal.writes, answer], [[["update_position", stop]], "Moved."])
    }).pipe(Effect.provide(makeEngineWithStores(model, { toolbox: makeJournalTools(journal, () => "quiet") })))
  })

  it.effect("is not offered to a key without the write scope or to a task", () => {
    const { engine, model, script } = makeProposalBench()
    return Effect.gen(function*() {
      const { principal: reader } = yield* createKeyedAccount({
        scopes: ["agent:chat", "read:market", "read:personal"]
      })
      const { principal } = yield* createKeyedAccount()
      script.acts = [propose("set_position", long), callPart("set_position", long)]
      for (const author of [reader, { ...principal, actor: { _tag: "Task", task: 1 } } as const]) {
        const { answer } = yield* askQuestion(author, { message: "How would you trade BTC?" })
        assert.strictEqual(answer, "So it is.")
        assert.isFalse(toolNamesOf(answerRequests(model).at(-1)).includes("propose_write"))
        assert.include(results(model)[0], "unknown_tool")
        assert.notInclude(results(model)[0], "did you mean")
        script.acts = [callPart("get_postions", {})]
        yield* askQuestion(author, { message: "How would you trade BTC?" })
        assert.include(results(model)[0], "did you mean `get_positions`?")
        script.acts = [propose("set_position", long), callPart("set_position", long)]
      }
    }).pipe(Effect.provide(engine))
  })
})

describe("Acceptance by a yes", () => {
  /** Runs steps between a proposal and the user's "yes", and returns whether the "yes" still accepts the proposal. */
  const between = (name: string) =>
    Effect.gen(function*() {
      const { engine, journal, script } = makeProposalBench()
      yield* Effect.gen(function*() {
        const { principal } = yield* createKeyedAccount()
        const analyst = yield* Analyst
        const conversations = yield* ConversationStore
        script.acts = [propose("set_position", long)]
        const first = yield* askQuestion(principal, { message: "How would you trade BTC?" })
        let { conversation_id } = first
        script.acts = []
        switch (name) {
          case "a question":
            yield* askQuestion(principal, { message: "And what is BTC at?", conversation_id })
            break
          case "another proposal":
            script.acts = [propose("set_position", attack)]
            yield* askQuestion(principal, { message: "And PEPE?", conversation_id })
            break
          case "another conversation":
            conversation_id = (yield* askQuestion(principal, { message: "And what is BTC at?" })).conversation_id
            break
          case "another account's conversation": {
            const other = yield* createKeyedAccount()
            const startError = yield* Effect.flip(analyst.start({
              principal: other.principal,
              request: { message: "yes", conversation_id }
            }))
            assert.strictEqual(startError._tag, "ConversationNotFound")
            return
          }
          case "a report of a task":
            yield* conversations.addReport(principal.account, conversation_id, "r", {
              role: "task",
              content: "Shall I?",
              lang: "en",
              images: [],
              charts: [],
              tools: [{ name: "propose_write", ok: true, proposed: { tool: "set_position", arguments: long } }],
              suggestions: [],
              outcome: null
            })
            break
          case "a summary of all":
            yield* conversations.storeSummary(principal.account, conversation_id, {
              upTo:
                (yield* analyst.getConversation(principal, conversation_id, { limit: 9, cursor: null })).messages.items
                  .at(-1)!.id,
              text: `I proposed: \`set_position ${JSON.stringify(long)}\`; answer "yes" to have it done.`
            })
            break
          case "the same answer again, which proposes nothing":
            yield* askQuestion(principal, { conversation_id, regenerate: true })
            break
          case "the same answer again, which proposes something else":
            script.acts = [propose("set_position", attack)]
            yield* askQuestion(principal, { conversation_id, regenerate: true })
        }
        script.acts = [callPart("set_position", long)]
        const { answer } = yield* askQuestion(principal, { message: "yes", conversation_id })
        assert.lengthOf(journal.writes, name === "nothing" ? 1 : 0, `${name}: ${answer}`)
      }).pipe(Effect.provide(engine))
    })

  it.effect("applies only to a proposal in the last answer of the same conversation", () =>
    Effect.forEach(
      [
        "nothing",
        "a question",
        "another proposal",
        "another conversation",
        "another account's conversation",
        "a report of a task",
        "a summary of all",
        "the same answer again, which proposes nothing",
        "the same answer again, which proposes something else"
      ],
      between,
      { discard: true }
    ))

  it("applies only to proposals of an answer from the last 24 hours", () => {
    const message: ChatMessage = {
      id: 1,
      role: "assistant",
      content: "",
      createdAt: 0,
      lang: "en",
      images: [],
      charts: [],
      tools: [
        { name: "propose_write", ok: true, proposed: { tool: "set_position", arguments: long } },
        { name: "set_position", ok: false, proposed: attack },
        { name: "propose_write", ok: true, proposed: "what another version kept" }
      ],
      suggestions: [],
      outcome: "finished"
    }
    const before = (changes: Partial<ChatMessage>, hours: number) =>
      readPreviousProposals({ ...message, ...changes }, { ...message, role: "user", createdAt: hours * 3_600_000 })
    assert.deepStrictEqual(before({}, 24).map(({ arguments: args }) => args), [long, attack])
    assert.deepStrictEqual(before({}, 25), [])
    assert.deepStrictEqual(before({ role: "task" }, 1), [])
    assert.deepStrictEqual(readPreviousProposals(undefined, message), [])
    assert.deepStrictEqual([1, 2].map((shownCount) => readPreviousProposals(message, message, shownCount).length), [
      2,
      0
    ])
  })

  it.effect("applies to the proposal of a regenerated answer; a regenerated yes writes nothing more", () => {
    const { engine, journal, script } = makeProposalBench()
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      script.acts = [propose("set_position", attack)]
      const { conversation_id } = yield* askQuestion(principal, { message: "How would you trade BTC?" })
      script.acts = [propose("set_position", long)]
      yield* askQuestion(principal, { conversation_id, regenerate: true })
      script.acts = [callPart("set_position", attack), callPart("set_position", long), propose("set_position", long)]
      yield* askQuestion(principal, { message: "yes", conversation_id })
      assert.deepStrictEqual(journal.writes, [["set_position", long]])
      const regenerated = yield* askQuestion(principal, { conversation_id, regenerate: true })
      assert.notInclude(regenerated.answer, "set_position", "a completed write is not proposed again")
      yield* askQuestion(principal, { message: "yes", conversation_id })
      assert.lengthOf(journal.writes, 1)
    }).pipe(Effect.provide(engine))
  })
})

const runs = process.env["TAPELINE_TEST_FULL"] === "1" ? 200 : 12

it.effect("writes only the proposal that the next yes accepts, once, for random turns", () => {
  const options = [long, attack, { coin: "BTC", side: "long", leverage: 3, entry: 60_000, stop: 58_000 }]
  const turn = fc.record({
    message: fc.constantFrom("yes", "네", "да, давай", "And BTC?", "yes?", "no", "Thanks"),
    proposes: fc.array(fc.nat(2), { maxLength: 2 }),
    calls: fc.array(fc.nat(2), { maxLength: 2 }),
    isRegeneration: fc.boolean()
  })
  return Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 6 }), async (turns) => {
        const { engine, journal, script } = makeProposalBench()
        const runProposals = Effect.gen(function*() {
          const { principal } = yield* createKeyedAccount({ plan: "pro" })
          let target: { readonly conversation_id?: number } = {}
          let shown: ReadonlyArray<string> = []
          const expected: Array<string> = []
          for (const { isRegeneration, calls, message, proposes } of turns) {
            script.acts = [
              ...proposes.map((i) => propose("set_position", options[i])),
              ...calls.map((i) => callPart("set_position", options[i]))
            ]
            const accepted = ["yes", "네", "да, давай"].includes(message) && shown.length === 1 ? shown[0] : undefined
            const requestedChanges = calls.map((i) => JSON.stringify(options[i]))
            if (accepted !== undefined && requestedChanges.includes(accepted)) expected.push(accepted)
            const answer = yield* askQuestion(principal, { message, ...target })
            target = { conversation_id: answer.conversation_id }
            const last = isRegeneration ? yield* askQuestion(principal, { ...target, regenerate: true }) : answer
            shown = [...last.answer.matchAll(/`set_position (\{[^`]*\})`/g)].map(([, args]) => args!)
          }
          assert.deepStrictEqual(journal.writes.map(([, args]) => JSON.stringify(args)), expected)
        })
        await Effect.runPromise(runProposals.pipe(Effect.provide(engine), Effect.provide(TestClock.layer())))
      }),
      { numRuns: runs }
    )
  )
})
