import { assert, describe, it } from "@effect/vitest"
import { Analyst, ConversationStore, GenerationLog, type ModelRequest, ProposalStore } from "@tapeline/core/agent"
import { Administration, Ledger, type Principal } from "@tapeline/core/engine"
import { createKeyedAccount } from "@tapeline/testing"
import { readWholeLog } from "@tapeline/testing/agent/fixtures"
import { callPart, endPart, type ScriptedAct, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { advanceUntilDone, askQuestion, makeEngineWithStores } from "./agentEngine.ts"
import { Journal, makeJournalTools } from "./journalTools.ts"

const long = { coin: "BTC", side: "long", entry: 60_000, stop: 58_000 }
const stop = { id: 17, stop: 58_000 }

/** A model that performs `acts` after each user message, and ends with `text`. */
const makeBench = () => {
  const journal = new Journal()
  const script: { acts: ReadonlyArray<ScriptedAct>; text: string } = { acts: [], text: "So it is." }
  const model = new ScriptedModel(({ turns }) =>
    turns.at(-1)?._tag === "User" && script.acts.length > 0
      ? [...script.acts, endPart]
      : [textPart(script.text), endPart]
  )
  const engine = makeEngineWithStores(model, { toolbox: makeJournalTools(journal, () => "quiet") })
  return { journal, model, script, engine }
}

const answerRequests = (model: ScriptedModel): ReadonlyArray<ModelRequest> =>
  model.requests.filter(({ purpose }) => purpose === "answer")
const resultsOf = (model: ScriptedModel) =>
  answerRequests(model).at(-1)!.turns.flatMap((turn) => turn._tag === "Result" ? [turn] : [])

const accept = (principal: Principal, id: string) =>
  Effect.flatMap(Analyst, (analyst) => advanceUntilDone(analyst.acceptProposal(principal, id)))
const stateOf = (principal: Principal, id: string) =>
  Effect.map(Effect.flatMap(ProposalStore, (store) => store.find(principal.account, id)), (found) => found?.state)
const creditsUsed = (account: number) =>
  Effect.map(Effect.flatMap(Ledger, (ledger) => ledger.balance(account)), (balance) => balance?.used)
const readMessages = (principal: Principal, conversation: number) =>
  Effect.flatMap(Analyst, (analyst) => analyst.getConversation(principal, conversation, { limit: 20, cursor: null }))

/** Asks a question whose answer proposes a call, and returns the proposal. */
const askForProposal = (
  script: { acts: ReadonlyArray<ScriptedAct> },
  principal: Principal,
  request: object = {},
  act: ScriptedAct = callPart("set_position", long)
) =>
  Effect.gen(function*() {
    script.acts = [act]
    const answer = yield* askQuestion(principal, { message: "How would you trade BTC?", ...request })
    script.acts = []
    return { ...answer, id: answer.proposals![0]!.id }
  })

describe("Proposal of a call", () => {
  it.effect("writes nothing, and is named by the events and the answer", () => {
    const { engine, journal, model, script } = makeBench()
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const { conversation_id, id, proposals, suggestions: _, ...answer } = yield* askForProposal(script, principal, {
        lang: "ko"
      })
      assert.match(id, /^p_\d+_1\.1$/)
      assert.deepStrictEqual(proposals, [{
        id,
        tool: "set_position",
        arguments: long,
        summary: "새 포지션 기록: 코인 `BTC`, 방향 `long`, 진입가 `60000`, 손절가 `58000`"
      }])
      assert.deepStrictEqual([answer.answer, answer.credits_used, journal.writes], ["So it is.", 20, []])
      const [result] = resultsOf(model)
      assert.deepStrictEqual([result?.ok, JSON.parse(result!.text).written], [false, false])
      assert.include(answerRequests(model)[0]!.tools.map(({ name }) => name), "set_position")
      const generation = Number(id.split("_")[1])
      const { events } = yield* readWholeLog(yield* GenerationLog, generation)
      const dataOf = (kind: string) => events.filter((event) => event.kind === kind).map(({ data }) => JSON.parse(data))
      assert.deepStrictEqual(
        dataOf("tool_done").map(({ took_ms: _, ...data }) => data),
        [{ call_id: "1.1", name: "set_position", ok: false, proposal: id }]
      )
      assert.deepStrictEqual(dataOf("done")[0].proposals, proposals)
      const view = yield* readMessages(principal, conversation_id)
      assert.deepStrictEqual(view.conversation.scopes, ["write:personal"])
      assert.deepStrictEqual(
        view.proposals.map(({ id, message, state }) => [id, message, state]),
        [[id, view.messages.items[1]!.id, "open"]]
      )
    }).pipe(Effect.provide(engine))
  })

  it.effect("is rejected with the reason if the call is invalid, hidden, repeated or one of too many", () => {
    const { engine, journal, model, script } = makeBench()
    const invalid: ReadonlyArray<readonly [ScriptedAct, reason: string]> = [
      [callPart("set_position", "no json"), "not valid JSON"],
      [callPart("set_position", { ...long, side: "up" }), "`side`"],
      [callPart("set_position", { side: "long" }), "`coin`: This argument is required."],
      [callPart("set_position", { ...long, entry: "60000" }), "`entry`"],
      [callPart("set_position", { ...long, extra: 1 }), "`extra`"],
      [callPart("set_position", { ...long, notes: "a`b" }), "backticks"],
      [callPart("set_position", { ...long, notes: "a\u200bb" }), "invisible"],
      [callPart("set_position", { ...long, notes: "a\u202eb" }), "invisible"],
      [callPart("set_position", { ...long, notes: "x".repeat(2_000) }), "2000"],
      [callPart("propose_write", { tool: "set_position", arguments: long }), "no tool"]
    ]
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      script.acts = invalid.map(([act]) => act)
      const { proposals } = yield* askQuestion(principal, { message: "How would you trade BTC?" })
      assert.isUndefined(proposals)
      for (const [i, { text }] of resultsOf(model).entries()) {
        assert.include(JSON.parse(text).error.message, invalid[i]![1])
      }
      script.acts = [1, 2, 2, 3, 4, 5, 6].map((stop) => callPart("update_position", { id: 17, stop }))
      const second = yield* askQuestion(principal, { message: "How would you trade BTC?" })
      assert.lengthOf(second.proposals!, 5)
      const errors = resultsOf(model).map(({ text }) => JSON.parse(text).error?.code ?? null)
      assert.deepStrictEqual(errors, [null, null, "already_proposed", null, null, null, "too_many"])
      assert.deepStrictEqual(journal.writes, [])
    }).pipe(Effect.provide(engine))
  })

  it.effect("is not made for a key without the scope, for a task, or by an unfinished answer", () => {
    const { engine, journal, model, script } = makeBench()
    return Effect.gen(function*() {
      const { principal: reader } = yield* createKeyedAccount({ scopes: ["agent:chat", "read:market"] })
      const { principal } = yield* createKeyedAccount()
      const task: Principal = { ...principal, actor: { _tag: "Task", task: 1 } }
      for (const one of [reader, task]) {
        script.acts = [callPart("set_position", long)]
        const { proposals } = yield* askQuestion(one, { message: "Record it", writes: "allow" })
        assert.isUndefined(proposals)
        assert.notInclude(answerRequests(model).at(-1)!.tools.map(({ name }) => name), "set_position")
        assert.strictEqual(JSON.parse(resultsOf(model)[0]!.text).error.code, "not_allowed")
      }
      script.text = " "
      script.acts = [callPart("set_position", long)]
      const failed = yield* askQuestion(principal, { message: "Record it" })
      assert.deepStrictEqual([failed.outcome, failed.proposals], ["failed", undefined])
      assert.deepStrictEqual((yield* readMessages(principal, failed.conversation_id)).proposals, [])
      assert.deepStrictEqual(journal.writes, [])
    }).pipe(Effect.provide(engine))
  })

  it.effect("is replaced by the call itself if the request allows writes, at most five times in an answer", () => {
    const { engine, journal, script } = makeBench()
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      script.acts = [1, 2, 3, 4, 5, 6].map((stop) => callPart("update_position", { id: 17, stop }))
      const answer = yield* askQuestion(principal, { message: "Move my stops", writes: "allow" })
      assert.lengthOf(journal.writes, 5)
      assert.deepStrictEqual(answer.proposals?.map(({ arguments: args }) => args), [{ id: 17, stop: 6 }])
      assert.strictEqual(answer.credits_used, 20)
      const { conversation_id } = answer
      yield* askQuestion(principal, { conversation_id, regenerate: true, writes: "allow" })
      assert.lengthOf(journal.writes, 5, "a regenerated answer writes nothing")
    }).pipe(Effect.provide(engine))
  })
})

describe("Acceptance of a proposal", () => {
  it.effect("makes the call once at its own price, and reports it in the conversation", () => {
    const { engine, journal, script } = makeBench()
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const { conversation_id, id } = yield* askForProposal(script, principal)
      const { failure, proposal } = yield* accept(principal, id)
      assert.deepStrictEqual(journal.writes, [["set_position", long]])
      assert.deepStrictEqual([failure, proposal.state, proposal.result?.error], [null, "accepted", null])
      assert.deepInclude(proposal.result?.envelope, { tool: "set_position", credits_used: 1, data: { id: 99 } })
      assert.strictEqual(yield* creditsUsed(principal.account), 21)
      const again = yield* accept(principal, id)
      assert.deepStrictEqual(again.proposal, proposal)
      assert.deepStrictEqual([journal.writes.length, yield* creditsUsed(principal.account)], [1, 21])
      const { messages } = yield* readMessages(principal, conversation_id)
      const report = messages.items.at(-1)!
      assert.deepStrictEqual([report.id, report.proposal, report.role], [proposal.report, id, "assistant"])
      assert.match(report.content, /^Done: Record a new position: coin `BTC`/)
      assert.lengthOf(messages.items, 3)
    }).pipe(Effect.provide(engine))
  })

  it.effect("is possible only for the account's keys with both scopes and the scopes of the conversation", () => {
    const { engine, journal, script } = makeBench()
    return Effect.gen(function*() {
      const [analyst, administration] = yield* Effect.all([Analyst, Administration])
      const { account, principal, record } = yield* createKeyedAccount()
      const { conversation_id, id } = yield* askForProposal(script, principal)
      yield* (yield* ConversationStore).addScope(account.id, conversation_id, "read:personal")
      const other = yield* createKeyedAccount()
      const rejected: ReadonlyArray<readonly [Principal, error: string]> = [
        [other.principal, "ProposalNotFound"],
        [{ ...principal, scopes: ["agent:chat", "read:personal"] }, "ScopeRequired"],
        [{ ...principal, scopes: ["write:personal", "read:personal"] }, "ScopeRequired"],
        [{ ...principal, scopes: ["agent:chat", "write:personal"] }, "ScopeRequired"],
        [{ ...principal, actor: { _tag: "Task", task: 1 } }, "ScopeRequired"]
      ]
      for (const [one, error] of rejected) {
        const errors = yield* Effect.all([
          Effect.flip(analyst.acceptProposal(one, id)),
          Effect.flip(analyst.dismissProposal(one, id)),
          Effect.flip(analyst.findProposal(one, id))
        ])
        assert.deepStrictEqual(errors.map(({ _tag }) => _tag), [error, error, error])
      }
      yield* administration.revokeKey(record.id)
      assert.strictEqual((yield* Effect.flip(accept(principal, id)))._tag, "ScopeRequired")
      assert.deepStrictEqual([journal.writes, yield* stateOf(principal, id)], [[], "open"])
      const second = yield* administration.issueKey({
        account: account.id,
        name: "second",
        scopes: ["agent:chat", "read:personal", "write:personal"]
      })
      yield* accept({ ...principal, actor: { _tag: "Key", key: second.record.id } }, id)
      assert.lengthOf(journal.writes, 1)
    }).pipe(Effect.provide(engine))
  })

  it.effect("is rejected for a suspended account", () => {
    const { engine, journal, script } = makeBench()
    return Effect.gen(function*() {
      const administration = yield* Administration
      const { account, principal } = yield* createKeyedAccount()
      const { id } = yield* askForProposal(script, principal)
      yield* administration.updateAccount(account.id, { status: { status: "suspended", reason: null } })
      assert.strictEqual((yield* Effect.flip(accept(principal, id)))._tag, "ScopeRequired")
      assert.deepStrictEqual([journal.writes, yield* stateOf(principal, id)], [[], "open"])
    }).pipe(Effect.provide(engine))
  })

  it.effect("is impossible after a dismissal, and after the answer was replaced", () => {
    const { engine, journal, script } = makeBench()
    return Effect.gen(function*() {
      const analyst = yield* Analyst
      const { principal } = yield* createKeyedAccount()
      const dismissed = yield* askForProposal(script, principal)
      assert.strictEqual((yield* analyst.dismissProposal(principal, dismissed.id)).state, "dismissed")
      assert.strictEqual((yield* analyst.dismissProposal(principal, dismissed.id)).state, "dismissed")
      const superseded = yield* askForProposal(script, principal)
      yield* askQuestion(principal, { conversation_id: superseded.conversation_id, regenerate: true })
      for (const [{ id }, state] of [[dismissed, "dismissed"], [superseded, "superseded"]] as const) {
        const error = yield* Effect.flip(accept(principal, id))
        assert.deepStrictEqual([error._tag, error._tag === "ProposalClosed" && error.state], ["ProposalClosed", state])
      }
      assert.deepStrictEqual(journal.writes, [])
    }).pipe(Effect.provide(engine))
  })

  it.effect("leaves the proposal open if the account has no credits left", () => {
    const { engine, journal, script } = makeBench()
    return Effect.gen(function*() {
      const [administration, ledger] = yield* Effect.all([Administration, Ledger])
      const { account, principal } = yield* createKeyedAccount({ plan: "free" })
      const { id } = yield* askForProposal(script, principal)
      const { left } = (yield* ledger.balance(account.id))!
      yield* ledger.reserve({
        account: account.id,
        actor: principal.actor,
        tool: "rest",
        credits: left,
        ttlMs: 600_000,
        idempotency: null
      })
      const error = yield* Effect.flip(accept(principal, id))
      assert.deepStrictEqual([error._tag, yield* stateOf(principal, id)], ["OverLimit", "open"])
      yield* administration.updateAccount(account.id, { plan: "pro" })
      yield* accept({ ...principal, plan: "pro" }, id)
      assert.lengthOf(journal.writes, 1)
    }).pipe(Effect.provide(engine))
  })
})

describe("Regenerated answer", () => {
  it.effect("keeps accepted proposals, lists them in the request to the model, and supersedes open ones", () => {
    const { engine, journal, model, script } = makeBench()
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      script.acts = [callPart("set_position", long), callPart("update_position", stop)]
      const { conversation_id, proposals } = yield* askQuestion(principal, { message: "How would you trade BTC?" })
      const [accepted, open] = proposals!
      yield* accept(principal, accepted!.id)
      script.acts = [callPart("update_position", { id: 17, stop: 1 })]
      const second = yield* askQuestion(principal, { conversation_id, regenerate: true })
      assert.include(
        answerRequests(model).at(-1)!.context,
        JSON.stringify([{ tool: "set_position", arguments: long }])
      )
      const view = yield* readMessages(principal, conversation_id)
      const answer = view.messages.items.at(-1)!
      assert.deepStrictEqual(
        view.proposals.map(({ id, message, state }) => [id, message, state]),
        [[accepted!.id, answer.id, "accepted"], [second.proposals![0]!.id, answer.id, "open"]]
      )
      assert.strictEqual(yield* stateOf(principal, open!.id), "superseded")
      assert.deepStrictEqual(journal.writes, [["set_position", long]])
    }).pipe(Effect.provide(engine))
  })
})

describe("Word of confirmation", () => {
  it.effect("accepts the only open proposal of the previous answer, in every language", () =>
    Effect.forEach(["yes", "Yes.", " 네 ", "да!"], (message) => {
      const { engine, journal, model, script } = makeBench()
      return Effect.gen(function*() {
        const { principal } = yield* createKeyedAccount()
        const { conversation_id, id } = yield* askForProposal(script, principal)
        const { credits_used } = yield* askQuestion(principal, { message, conversation_id })
        assert.deepStrictEqual(journal.writes, [["set_position", long]])
        assert.deepStrictEqual([credits_used, yield* creditsUsed(principal.account)], [20, 41])
        const { brief, context } = answerRequests(model).at(-1)!
        assert.deepInclude(brief.accepted, { tool: "set_position", arguments: long, ok: true })
        assert.include(context, "already carried it out")
        assert.strictEqual(yield* stateOf(principal, id), "accepted")
        yield* askQuestion(principal, { message, conversation_id })
        yield* askQuestion(principal, { conversation_id, regenerate: true })
        assert.lengthOf(journal.writes, 1)
      }).pipe(Effect.provide(engine))
    }, { discard: true }))

  it.effect("gets the reason of a rejection, and the proposal stays as it is", () => {
    const { engine, journal, model, script } = makeBench()
    return Effect.gen(function*() {
      const administration = yield* Administration
      const { principal, record } = yield* createKeyedAccount()
      const { conversation_id, id } = yield* askForProposal(script, principal)
      yield* administration.revokeKey(record.id)
      yield* askQuestion(principal, { message: "yes", conversation_id })
      assert.deepStrictEqual(answerRequests(model).at(-1)!.brief.accepted?.ok, false)
      assert.deepStrictEqual([journal.writes, yield* stateOf(principal, id)], [[], "open"])
    }).pipe(Effect.provide(engine))
  })

  const others: ReadonlyArray<string> = [
    "yes, what is BTC at?",
    "yes?",
    "ok",
    "no",
    "네?",
    "да нет",
    "Yes I agree that it is quiet",
    "> yes",
    "yes\nyes"
  ]
  it.effect("is not recognised in other messages", () =>
    Effect.forEach(others, (message) => {
      const { engine, journal, script } = makeBench()
      return Effect.gen(function*() {
        const { principal } = yield* createKeyedAccount()
        const { conversation_id, id } = yield* askForProposal(script, principal)
        yield* askQuestion(principal, { message, conversation_id })
        assert.deepStrictEqual([journal.writes, yield* stateOf(principal, id)], [[], "open"], message)
      }).pipe(Effect.provide(engine))
    }, { discard: true }))

  it.effect("accepts nothing if the answer asks a question, has several proposals, or is not the previous one", () => {
    const { engine, journal, script } = makeBench()
    return Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const { principal } = yield* createKeyedAccount()
      for (const mark of ["?", "？", "\u2753", "\u2049\ufe0f"]) {
        script.text = `Is it quiet${mark} I think so.`
        const asking = yield* askForProposal(script, principal)
        yield* askQuestion(principal, { message: "yes", conversation_id: asking.conversation_id })
      }
      script.text = "So it is."
      script.acts = [callPart("set_position", long), callPart("update_position", stop)]
      const several = yield* askQuestion(principal, { message: "What would you do?" })
      script.acts = []
      yield* askQuestion(principal, { message: "yes", conversation_id: several.conversation_id })
      const earlier = yield* askForProposal(script, principal)
      yield* askQuestion(principal, { message: "And ETH?", conversation_id: earlier.conversation_id })
      yield* askQuestion(principal, { message: "yes", conversation_id: earlier.conversation_id })
      const reported = yield* askForProposal(script, principal)
      yield* conversations.addReport(principal.account, reported.conversation_id, "r", {
        role: "task",
        content: "Shall I?",
        lang: "en",
        images: [],
        charts: [],
        tools: [],
        suggestions: [],
        outcome: null
      })
      yield* askQuestion(principal, { message: "yes", conversation_id: reported.conversation_id })
      yield* askQuestion(principal, { message: "yes" })
      assert.deepStrictEqual(journal.writes, [])
    }).pipe(Effect.provide(engine))
  })
})
