import { assert } from "@effect/vitest"
import {
  acceptanceLifetimeMs,
  ConversationStore,
  formatProposalId,
  GenerationStore,
  type NewProposal,
  type ProposalEnd,
  proposalLifetimeMs,
  ProposalStore
} from "@tapeline/core/agent"
import { Effect } from "effect"
import {
  type AgentTests,
  answerMessage,
  answerQuestion,
  getFence,
  inConversation,
  makeEnd,
  newAccount,
  repeatInConversation,
  startNewGeneration,
  takeGeneration
} from "./fixtures.ts"
import type { Advance } from "./runningGenerationTests.ts"

export const newProposal = (call: string, stop = 1): NewProposal => ({
  call,
  tool: "update_position",
  arguments: { id: 17, stop, notes: "\u{1F600} 'quoted' \"text\"" },
  summary: `Change a position: stop ${stop}`,
  version: "v1",
  lang: "ko"
})

const accepted: ProposalEnd = {
  state: "accepted",
  envelope: { tool: "update_position", credits_used: 1, took_ms: 2, data: { ok: true } },
  error: null,
  report: answerMessage("Done.", { outcome: null, proposal: "p" })
}

/** Creates an account with an answer that has proposals. Returns the ids of the proposals. */
const answerWithProposals = (proposals: ReadonlyArray<NewProposal> = [newProposal("1.1")]) =>
  Effect.gen(function*() {
    const account = yield* newAccount
    const { conversation, id, message } = yield* answerQuestion(account, {}, { proposals })
    const ids = proposals.map(({ call }) => formatProposalId({ generation: id, call }))
    return { account, conversation, message: message!.id, generation: id, ids, id: ids[0]! }
  })

const stateOf = (account: number, id: string) =>
  Effect.map(Effect.flatMap(ProposalStore, (store) => store.find(account, id)), (proposal) => proposal?.state ?? null)

const testStoring = (it: AgentTests): void => {
  it.effect("stores the proposals of an answer when the answer ends, and not before", () =>
    Effect.gen(function*() {
      const store = yield* ProposalStore
      const account = yield* newAccount
      const generation = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
      const proposals = [newProposal("1.10", 3), newProposal("1.2", 1), newProposal("2.1", 2)]
      const id = formatProposalId({ generation: generation.id, call: "1.2" })
      assert.isNull(yield* store.find(account, id))
      const { answer } = yield* (yield* GenerationStore).end(
        getFence(generation),
        makeEnd(generation.conversation, { proposals })
      )
      const found = yield* store.find(account, id)
      assert.deepStrictEqual(found, {
        ...newProposal("1.2", 1),
        id,
        account,
        conversation: generation.conversation,
        message: answer!.id,
        state: "open",
        createdAt: found!.createdAt,
        expiresAt: found!.createdAt + proposalLifetimeMs,
        result: null,
        report: null
      })
      const listed = yield* store.list(account, generation.conversation, [answer!.id, answer!.id + 1])
      assert.deepStrictEqual(listed.map(({ call }) => call), ["1.2", "1.10", "2.1"])
      assert.deepStrictEqual(yield* store.list(account, generation.conversation, []), [])
      assert.deepStrictEqual(yield* store.list(account, generation.conversation, [answer!.id + 1]), [])
    }))

  it.effect("treats proposals of other accounts, and texts that are no ids, as absent", () =>
    Effect.gen(function*() {
      const store = yield* ProposalStore
      const { account, conversation, id, message } = yield* answerWithProposals()
      const other = yield* newAccount
      const absent = [
        [other, id],
        ...["", "p_1", "p_0_1.1", `${id}0`, "p_1_1.1; drop", "\u0000"].map((text) => [account, text] as const)
      ] as const
      for (const [owner, text] of absent) {
        assert.isNull(yield* store.find(owner, text))
        assert.isNull(yield* store.claim(owner, text))
        assert.isNull(yield* store.dismiss(owner, text))
        assert.isNull(yield* store.end(owner, text, accepted))
        assert.isFalse(yield* store.reopen(owner, text, 1))
      }
      assert.deepStrictEqual(yield* store.list(other, conversation, [message]), [])
      assert.strictEqual(yield* stateOf(account, id), "open")
    }))

  it.effect("deletes proposals together with their conversation", () =>
    Effect.gen(function*() {
      const { account, conversation, id } = yield* answerWithProposals()
      assert.strictEqual(yield* (yield* ConversationStore).remove(account, conversation), "removed")
      assert.isNull(yield* stateOf(account, id))
      assert.isNull(yield* (yield* ProposalStore).claim(account, id))
    }))
}

const testTransitions = (it: AgentTests): void => {
  it.effect("lets one of several concurrent claims be the first, and counts the claims", () =>
    Effect.gen(function*() {
      const store = yield* ProposalStore
      const { account, id } = yield* answerWithProposals()
      const claims = yield* Effect.forEach(Array.from({ length: 4 }), () => store.claim(account, id), {
        concurrency: "unbounded"
      })
      const claimed = claims.flatMap((claim) => claim?._tag === "Claimed" ? [claim] : [])
      assert.deepStrictEqual(claimed.map(({ attempt }) => attempt).sort((a, b) => a - b), [1, 2, 3, 4])
      assert.deepStrictEqual(claimed.filter(({ isFirst }) => isFirst).map(({ attempt }) => attempt), [1])
      assert.isTrue(claimed.every(({ proposal }) => proposal.state === "accepting"))
      assert.isFalse(yield* store.reopen(account, id, 3))
      assert.strictEqual((yield* store.dismiss(account, id))?.state, "accepting")
      assert.isTrue(yield* store.reopen(account, id, 4))
      assert.strictEqual(yield* stateOf(account, id), "open")
      const again = yield* store.claim(account, id)
      assert.deepStrictEqual(
        again?._tag === "Claimed" ? [again.attempt, again.isFirst] : again,
        [5, true]
      )
      assert.isFalse(yield* store.reopen(account, id, 4))
    }))

  it.effect("ends a claimed proposal once, with one report in its conversation", () =>
    Effect.gen(function*() {
      const [store, conversations] = yield* Effect.all([ProposalStore, ConversationStore])
      const { account, conversation, id } = yield* answerWithProposals()
      assert.strictEqual((yield* store.end(account, id, accepted))?.state, "open", "an open proposal cannot end")
      yield* store.claim(account, id)
      const ends = yield* Effect.forEach(
        Array.from({ length: 3 }),
        (_, i) => store.end(account, id, i === 0 ? accepted : { ...accepted, state: "failed" }),
        { concurrency: "unbounded" }
      )
      const ended = yield* store.find(account, id)
      for (const end of ends) assert.deepStrictEqual(end, ended)
      assert.deepStrictEqual(ended?.result, { envelope: accepted.envelope, error: null })
      assert.isFalse(yield* store.reopen(account, id, 1))
      assert.strictEqual((yield* store.dismiss(account, id))?.state, ended?.state)
      assert.strictEqual((yield* store.claim(account, id))?._tag, "Closed")
      const page = yield* conversations.messages(account, conversation, { limit: 10, cursor: null })
      assert.deepStrictEqual(page?.items.map(({ content }) => content), ["why?", "because", "Done."])
      const report = page?.items[2]
      assert.deepStrictEqual([report?.id, report?.proposal, report?.role], [ended?.report, "p", "assistant"])
      assert.strictEqual((yield* conversations.find(account, conversation))?.messageCount, 3)
    }))

  it.effect("stores a failure with its error, and adds no message", () =>
    Effect.gen(function*() {
      const [store, conversations] = yield* Effect.all([ProposalStore, ConversationStore])
      const { account, conversation, id } = yield* answerWithProposals()
      yield* store.claim(account, id)
      const error = { code: "not_found", message: "gone" }
      yield* store.end(account, id, { state: "failed", envelope: null, error, report: null })
      const proposal = yield* store.find(account, id)
      assert.deepStrictEqual([proposal?.state, proposal?.result], ["failed", { envelope: null, error }])
      assert.strictEqual((yield* conversations.find(account, conversation))?.messageCount, 2)
    }))

  it.effect("dismisses an open proposal, which can then not be claimed", () =>
    Effect.gen(function*() {
      const store = yield* ProposalStore
      const { account, id } = yield* answerWithProposals()
      assert.strictEqual((yield* store.dismiss(account, id))?.state, "dismissed")
      assert.strictEqual((yield* store.dismiss(account, id))?.state, "dismissed")
      const claim = yield* store.claim(account, id)
      assert.deepStrictEqual([claim?._tag, claim?.proposal.state], ["Closed", "dismissed"])
    }))
}

const testReplacing = (it: AgentTests): void => {
  it.effect("supersedes open proposals of a replaced answer, and assigns the others to the new answer", () =>
    Effect.gen(function*() {
      const store = yield* ProposalStore
      const first = yield* answerWithProposals(["1.1", "1.2", "1.3", "1.4"].map((call) => newProposal(call)))
      const { account, conversation, ids } = first
      const [open, claimed, ended, dismissed] = [ids[0]!, ids[1]!, ids[2]!, ids[3]!]
      yield* store.claim(account, claimed)
      yield* store.claim(account, ended)
      yield* store.end(account, ended, accepted)
      yield* store.dismiss(account, dismissed)
      const target = repeatInConversation(conversation)
      const failed = yield* answerQuestion(account, { target, question: null }, { outcome: "failed" })
      assert.isNull(failed.message)
      assert.strictEqual(yield* stateOf(account, open), "open")
      const second = yield* answerQuestion(account, { target, question: null }, { proposals: [newProposal("1.1")] })
      assert.strictEqual(second.brief.replaces, first.message)
      const listed = yield* store.list(account, conversation, [second.message!.id])
      assert.deepStrictEqual(
        listed.map(({ id, state }) => [id, state]),
        [
          [claimed, "accepting"],
          [ended, "accepted"],
          [dismissed, "dismissed"],
          [formatProposalId({ generation: second.id, call: "1.1" }), "open"]
        ]
      )
      assert.strictEqual(yield* stateOf(account, open), "superseded")
      assert.strictEqual((yield* store.claim(account, open))?._tag, "Closed")
      assert.strictEqual((yield* store.dismiss(account, open))?.state, "superseded")
      assert.isFalse(yield* store.reopen(account, claimed, 1), "a proposal of a replaced answer stays closed")
      assert.strictEqual(yield* stateOf(account, claimed), "accepting")
      assert.strictEqual((yield* store.end(account, claimed, accepted))?.state, "accepted")
    }))

  it.effect("keeps proposals open while the conversation continues", () =>
    Effect.gen(function*() {
      const { account, conversation, id } = yield* answerWithProposals()
      yield* answerQuestion(account, { target: inConversation(conversation) }, { proposals: [newProposal("1.1")] })
      assert.strictEqual(yield* stateOf(account, id), "open")
    }))
}

const testTimes = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  it.effect("expires an open proposal after its lifetime, but not a claimed one", () =>
    Effect.gen(function*() {
      const store = yield* ProposalStore
      const { account, ids } = yield* answerWithProposals([newProposal("1.1"), newProposal("1.2")])
      const [open, claimed] = [ids[0]!, ids[1]!]
      yield* advance(proposalLifetimeMs - 60_000)
      yield* store.claim(account, claimed)
      assert.strictEqual(yield* stateOf(account, open), "open")
      yield* advance(60_000)
      assert.deepStrictEqual(
        [yield* stateOf(account, open), yield* stateOf(account, claimed)],
        ["expired", "accepting"]
      )
      assert.strictEqual((yield* store.claim(account, open))?._tag, "Closed")
      assert.strictEqual((yield* store.dismiss(account, open))?.state, "expired")
      const again = yield* store.claim(account, claimed)
      assert.deepStrictEqual(again?._tag === "Claimed" && again.isFirst, false)
    }))

  it.effect("makes an unfinished acceptance final after its lifetime, counted from the first claim", () =>
    Effect.gen(function*() {
      const store = yield* ProposalStore
      const { account, id } = yield* answerWithProposals()
      yield* store.claim(account, id)
      yield* advance(acceptanceLifetimeMs - 60_000)
      assert.strictEqual((yield* store.claim(account, id))?._tag, "Claimed")
      yield* advance(60_000)
      const claim = yield* store.claim(account, id)
      assert.deepStrictEqual([claim?._tag, claim?.proposal.state], ["Closed", "failed"])
      assert.isNull(claim?.proposal.result)
      // A process that was frozen reports what it has written.
      assert.strictEqual((yield* store.end(account, id, accepted))?.state, "accepted")
    }))
}

/** Defines the contract tests of `ProposalStore`. */
export const testProposals = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  testStoring(it)
  testTransitions(it)
  testReplacing(it)
  testTimes(it, advance)
}
