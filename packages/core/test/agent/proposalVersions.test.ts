import { assert, it } from "@effect/vitest"
import { pickTools, Toolbox, tools } from "@tapeline/core"
import { Analyst, ProposalStore } from "@tapeline/core/agent"
import { decimal, JournalStore } from "@tapeline/core/personal"
import { createKeyedAccount } from "@tapeline/testing"
import { callPart, endPart, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { advanceUntilDone, askQuestion, makeEngineWithStores } from "./agentEngine.ts"

const names = ["update_position", "close_position", "delete_position", "set_risk_profile"] as const

it.effect("a proposal is outdated if its record has changed or was deleted, and writes nothing", () => {
  let calls: ReadonlyArray<readonly [name: string, args: object]> = []
  const model = new ScriptedModel(({ turns }) =>
    turns.at(-1)?._tag === "User"
      ? [...calls.map(([name, args]) => callPart(name, args)), endPart]
      : [textPart("See below."), endPart]
  )
  return Effect.gen(function*() {
    const [analyst, journal, store] = yield* Effect.all([Analyst, Effect.service(JournalStore), ProposalStore])
    const { principal } = yield* createKeyedAccount()
    const { account } = principal
    const open = (call: string) =>
      journal.write(account, call, { _tag: "Open", coin: "BTC", side: "long", fields: { stop: decimal(57_000) } })
    const opened = yield* open("a")
    const id = opened._tag === "Position" ? opened.position.id : 0
    const propose = Effect.gen(function*() {
      yield* TestClock.adjust(10)
      const { proposals } = yield* askQuestion(principal, { message: "What would you do?" })
      return proposals!.map((proposal) => proposal.id)
    })
    const accept = (proposal: string) => Effect.result(advanceUntilDone(analyst.acceptProposal(principal, proposal)))
    calls = [
      ["update_position", { id, stop: 58_000 }],
      ["close_position", { id, exit: 60_000 }],
      ["delete_position", { id }],
      ["set_risk_profile", { risk_pct: 1 }],
      ["update_position", { id: id + 1_000, stop: 1 }]
    ]
    const [update, close, remove, profile, ...others] = yield* propose
    assert.deepStrictEqual(others, [], "a change of an unknown record is not proposed")
    assert.deepInclude((yield* store.find(account, close!))?.arguments, { fraction: 1, fees_usd: 0 })
    // The first change makes the other proposals for the position outdated.
    const first = yield* accept(update!)
    assert.strictEqual(first._tag === "Success" && first.success.proposal.state, "accepted")
    for (const proposal of [close!, remove!]) {
      for (let i = 0; i < 2; i++) {
        const result = yield* accept(proposal)
        assert.strictEqual(result._tag === "Failure" && result.failure._tag, "ProposalOutdated")
      }
    }
    const holdings = yield* journal.holdings(account)
    assert.deepStrictEqual(holdings.positions.map(({ share, stop }) => [share, stop]), [[decimal(1), decimal(58_000)]])
    yield* journal.write(account, "b", { _tag: "SetProfile", profile: { riskPct: decimal(3) } })
    const outdated = yield* accept(profile!)
    assert.strictEqual(outdated._tag === "Failure" && outdated.failure._tag, "ProposalOutdated")
    calls = [["update_position", { id, stop: 59_000 }]]
    const [deleted] = yield* propose
    yield* journal.write(account, "c", { _tag: "Delete", id })
    const gone = yield* accept(deleted!)
    assert.strictEqual(gone._tag === "Failure" && gone.failure._tag, "ProposalOutdated")
  }).pipe(Effect.provide(makeEngineWithStores(model, { toolbox: Toolbox.layer(pickTools(tools, names)) })))
})
