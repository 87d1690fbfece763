import { assert, it } from "@effect/vitest"
import { implement, specify, Toolbox, ToolFailure } from "@tapeline/core"
import { Analyst, type ProposalState, ProposalStore } from "@tapeline/core/agent"
import { Administration, Ledger, LedgerStore, type Principal, StoreUnavailable } from "@tapeline/core/engine"
import { createKeyedAccount, MemoryState, MemoryStores } from "@tapeline/testing"
import { answerQuestion } from "@tapeline/testing/agent/fixtures"
import { newProposal } from "@tapeline/testing/agent/proposalTests"
import { ScriptedModel } from "@tapeline/testing/agent/ScriptedModel"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Context, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { advanceUntilDone, makeAgentEngine } from "./agentEngine.ts"

/** The writes that a database has made, by the id of the call. A repeated call writes once, as in a journal store. */
class WriteLog {
  readonly writes = new Map<string, { readonly account: number; readonly args: unknown }>()
  runs = 0
}

const updatePosition = specify({
  area: "journal",
  credits: 1,
  name: "update_position",
  scope: "write:personal",
  summary: "Changes a position.",
  parameters: Schema.Struct({ id: Schema.Int, stop: Schema.Finite, notes: Schema.String }),
  result: Schema.Struct({ ok: Schema.Boolean }),
  example: { id: 17, stop: 1, notes: "" }
})

/** Where a process stops: before or after a step of the acceptance, or nowhere. */
const crashPoints = [
  "none",
  "before claim",
  "after claim",
  "before write",
  "after write",
  "before settle",
  "after settle",
  "before end",
  "after end"
] as const
type CrashPoint = (typeof crashPoints)[number]

const makeCrash = (name: string) => Effect.fail(new StoreUnavailable({ store: name, cause: new Error("crash") }))

const unknownSymbol = Effect.fail(
  new ToolFailure({ code: "not_found", callerMessage: "unknown symbol", retryable: false })
)

/** Simulates a process. At the crash point, the process stops without a further write. */
class Process {
  point: CrashPoint = "none"
  isDown = false
  /** Whether the tool fails before it looks for an earlier write, for example because it no longer finds a symbol. */
  isRejecting = false
  /** Runs a step, and fails before or after the step at the crash point. A stopped process fails at every step. */
  step = <A, E, R>(name: string, step: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.suspend(() => {
      if (this.isDown) return makeCrash(name)
      if (this.point === `before ${name}`) {
        this.isDown = true
        return makeCrash(name)
      }
      return Effect.flatMap(step, (result): Effect.Effect<A, StoreUnavailable> => {
        if (this.point !== `after ${name}`) return Effect.succeed(result)
        this.isDown = true
        return makeCrash(name)
      })
    })
}

const makeEngine = (process: Process, log: WriteLog) => {
  const toolbox = Toolbox.layer([
    implement(
      updatePosition,
      Effect.succeed((args, { callId, principal }) =>
        process.isRejecting ? unknownSymbol : process.step(
          "write",
          Effect.sync(() => {
            log.runs += 1
            const key = `${principal.account}/${callId}`
            if (!log.writes.has(key)) log.writes.set(key, { account: principal.account, args })
            return { ok: true }
          })
        )
      )
    )
  ])
  const crashingProposals = Layer.effect(
    ProposalStore,
    Effect.map(ProposalStore, (store) =>
      ProposalStore.of({
        ...store,
        claim: (...args) => process.step("claim", store.claim(...args)),
        reopen: (...args) => process.step("reopen", store.reopen(...args)),
        end: (...args) => process.step("end", store.end(...args))
      }))
  )
  const crashingLedger = Layer.effect(
    LedgerStore,
    Effect.map(
      LedgerStore,
      (store) => LedgerStore.of({ ...store, end: (...args) => process.step("settle", store.end(...args)) })
    )
  )
  return makeAgentEngine(new ScriptedModel(() => []), { toolbox }).pipe(
    Layer.provide(Layer.mergeAll(crashingProposals, crashingLedger))
  )
}

/** Moves the times in the stores to the past, which is much faster than a day of the test clock. */
const shiftTimes = ({ agent, entries, idempotency }: MemoryState["Service"], ms: number): void => {
  for (const row of agent.proposals.values()) {
    row.proposal = { ...row.proposal, expiresAt: row.proposal.expiresAt - ms }
    if (row.acceptedAt !== null) row.acceptedAt -= ms
  }
  for (const entry of entries.values()) entry.expiresAt -= ms
  for (const [key, row] of idempotency) idempotency.set(key, { ...row, retainedUntil: row.retainedUntil - ms })
}

type Act =
  | {
    readonly _tag: "Accept"
    readonly node: 0 | 1
    readonly by: "owner" | "second" | "other"
    readonly point: CrashPoint
    readonly isRejecting: boolean
  }
  | { readonly _tag: "Dismiss" | "Revoke" | "Suspend" | "Reactivate" | "Both" }
  | { readonly _tag: "Wait"; readonly minutes: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("Accept" as const),
      node: fc.constantFrom(0 as const, 1 as const),
      by: fc.constantFrom("owner" as const, "owner" as const, "second" as const, "other" as const),
      point: fc.constantFrom(...crashPoints),
      isRejecting: fc.boolean()
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constantFrom(
        "Dismiss" as const,
        "Revoke" as const,
        "Suspend" as const,
        "Reactivate" as const,
        "Both" as const
      )
    })
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Wait" as const), minutes: fc.constantFrom(1, 1_439, 1_441) }) }
)

const finalStates: ReadonlyArray<ProposalState | undefined> = ["accepted", "dismissed", "expired", "superseded"]
const runs = isFullRun ? 400 : 40

it.effect("a proposal is carried out at most once, unchanged, charged once, and only by its account", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 9 }), (acts) =>
        Effect.runPromise(checkActs(acts).pipe(Effect.provide(TestClock.layer())))),
      { numRuns: runs }
    )
  ))

const checkActs = (acts: ReadonlyArray<Act>) => {
  const log = new WriteLog()
  const nodes = [new Process(), new Process()] as const
  return Effect.gen(function*() {
    const stores = yield* Effect.context<Layer.Success<typeof MemoryStores>>()
    const contexts = yield* Effect.all([
      Layer.build(makeEngine(nodes[0], log)),
      Layer.build(makeEngine(nodes[1], log))
    ])
    const [engine] = contexts
    const withEngine = <A, E>(effect: Effect.Effect<A, E, Administration | Ledger>) =>
      Effect.provideContext(effect, engine)
    const { account, principal, record } = yield* withEngine(createKeyedAccount())
    const other = yield* withEngine(createKeyedAccount())
    const administration = Context.get(engine, Administration)
    const second = yield* administration.issueKey({ account: account.id, name: "2", scopes: principal.scopes })
    const callers: Readonly<Record<"owner" | "second" | "other", Principal>> = {
      owner: principal,
      second: { ...principal, actor: { _tag: "Key", key: second.record.id } },
      other: other.principal
    }
    const proposal = newProposal("1.1", 5)
    const { id: generation } = yield* Effect.provideContext(
      answerQuestion(account.id, {}, { proposals: [proposal] }),
      stores
    )
    const id = `p_${generation}_1.1`
    const store = Context.get(stores, ProposalStore)
    const usedBefore = (yield* Context.get(engine, Ledger).balance(account.id))!.used
    let final: ProposalState | undefined
    const accept = (node: 0 | 1, by: keyof typeof callers) =>
      Effect.exit(advanceUntilDone(Context.get(contexts[node], Analyst).acceptProposal(callers[by], id)))
    for (const one of acts) {
      switch (one._tag) {
        case "Accept": {
          const node = nodes[one.node]
          node.isDown = false
          node.point = one.point
          node.isRejecting = one.isRejecting
          yield* accept(one.node, one.by)
          node.point = "none"
          node.isRejecting = false
          node.isDown = false
          break
        }
        case "Both":
          yield* advanceUntilDone(Effect.all([
            Effect.exit(Context.get(contexts[0], Analyst).acceptProposal(callers.owner, id)),
            Effect.exit(Context.get(contexts[1], Analyst).acceptProposal(callers.second, id))
          ], { concurrency: "unbounded" }))
          break
        case "Dismiss":
          yield* Effect.exit(Context.get(engine, Analyst).dismissProposal(callers.owner, id))
          break
        case "Revoke":
          yield* administration.revokeKey(record.id)
          break
        case "Suspend":
        case "Reactivate": {
          const status = one._tag === "Suspend" ? "suspended" as const : "active" as const
          yield* administration.updateAccount(account.id, { status: { status, reason: null } })
          break
        }
        case "Wait":
          shiftTimes(Context.get(stores, MemoryState), one.minutes * 60_000)
      }
      const found = (yield* store.find(account.id, id))!
      const writes = [...log.writes.values()]
      assert.isAtMost(writes.length, 1, "it writes at most once")
      for (const write of writes) assert.deepStrictEqual(write, { account: account.id, args: proposal.arguments })
      assert.deepStrictEqual(
        [found.tool, found.arguments, found.summary, found.version],
        [proposal.tool, proposal.arguments, proposal.summary, proposal.version]
      )
      if (found.state === "accepted") assert.lengthOf(writes, 1)
      if (found.state === "open" || ["dismissed", "expired", "superseded"].includes(found.state)) {
        assert.lengthOf(writes, 0, `${found.state}, but written`)
      }
      if (found.state === "failed" && found.result !== null) assert.lengthOf(writes, 0, "failed, but written")
      if (final !== undefined) assert.strictEqual(found.state, final, "a final state does not change")
      if (finalStates.includes(found.state)) final = found.state
      const { used } = (yield* Context.get(engine, Ledger).balance(account.id))!
      assert.isAtMost(used - usedBefore, 1, "it is charged at most once")
      if (found.state === "accepted") assert.strictEqual(used - usedBefore, 1)
    }
    const otherUsed = (yield* Context.get(engine, Ledger).balance(other.account.id))!.used
    assert.strictEqual(otherUsed, 0)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores))
}
