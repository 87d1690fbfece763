import { assert, it } from "@effect/vitest"
import { Analyst } from "@tapeline/core/agent"
import { type Administration, KeyStore, type Principal, SessionStore, userScopes } from "@tapeline/core/engine"
import { createKeyedAccount } from "@tapeline/testing"
import { callPart, endPart, ScriptedModel, textPart, waitForCue } from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { advanceUntilDone, makeEngineWithStores, ToolRecorder } from "./agentEngine.ts"

/* Keys, sessions and tasks that end while their answer runs. */

const key = ({ actor }: Principal) => {
  assert(actor._tag === "Key")
  return actor.key
}

const session = ({ actor }: Principal) => {
  assert(actor._tag === "Session")
  return actor.session
}

const enrolKey = Effect.map(
  createKeyedAccount({ scopes: ["agent:chat", "read:personal"] }),
  ({ principal }) => principal
)

const openSession = Effect.fnUntraced(function*(spans: { readonly idleMs: number; readonly maxLifetimeMs: number }) {
  const { principal: { account, plan } } = yield* createKeyedAccount()
  const opening = { device: "test", replacedHash: null, hash: "a".repeat(64), ...spans }
  const { id } = yield* (yield* SessionStore).open(account, "openid", opening, null)
  return { account, plan, scopes: userScopes, actor: { _tag: "Session", session: id } } as const
})

const hourMs = 3_600_000
const long = { idleMs: hourMs, maxLifetimeMs: hourMs }

type Stores = KeyStore | SessionStore

interface Case {
  readonly enrolled: Effect.Effect<Principal, unknown, Administration | Stores>
  readonly change: (principal: Principal) => Effect.Effect<unknown, unknown, Stores>
  readonly mayRead: boolean
}

const cases: Readonly<Record<string, Case>> = {
  "a revoked key": {
    enrolled: enrolKey,
    change: (principal) => Effect.flatMap(KeyStore, (keys) => keys.revokeKey(key(principal), null)),
    mayRead: false
  },
  "a narrowed key": {
    enrolled: enrolKey,
    change: (principal) =>
      Effect.flatMap(KeyStore, (keys) => keys.updateKey(key(principal), { scopes: ["agent:chat"] })),
    mayRead: false
  },
  "an expired key": {
    enrolled: enrolKey,
    change: (principal) =>
      Effect.andThen(
        Effect.flatMap(KeyStore, (keys) =>
          keys.updateKey(key(principal), { expiry: { at: 2_000, limit: 5, now: null } })),
        TestClock.adjust("2 seconds")
      ),
    mayRead: false
  },
  "a valid key": { enrolled: enrolKey, change: () => TestClock.adjust("2 seconds"), mayRead: true },
  "an ended session": {
    enrolled: openSession(long),
    change: (principal) =>
      Effect.flatMap(
        SessionStore,
        (sessions) => sessions.end({ account: principal.account, id: session(principal) }, "signed_out", null)
      ),
    mayRead: false
  },
  "a session past its maximum lifetime": {
    enrolled: openSession({ ...long, maxLifetimeMs: 2_000 }),
    change: () => TestClock.adjust("2 seconds"),
    mayRead: false
  },
  "a session past its idle limit": {
    enrolled: openSession({ ...long, idleMs: 2_000 }),
    change: () => TestClock.adjust("2 seconds"),
    mayRead: false
  },
  "a valid session": { enrolled: openSession(long), change: () => TestClock.adjust("2 seconds"), mayRead: true }
}

for (const [actor, { change, enrolled, mayRead }] of Object.entries(cases)) {
  it.effect(`${mayRead ? "reads" : "does not read"} records of the account in a running answer of ${actor}`, () => {
    const mayChange = Latch.makeUnsafe(false)
    const recorder = new ToolRecorder()
    const model = new ScriptedModel((_, n) =>
      n === 0
        ? [waitForCue(mayChange.await), callPart("mine"), callPart("price"), endPart]
        : [textPart("Done."), endPart]
    )
    return Effect.gen(function*() {
      const principal = yield* enrolled
      const analyst = yield* Analyst
      const pendingAnswer = yield* Effect.forkChild(analyst.answer({ principal, request: { message: "why?" } }))
      yield* TestClock.adjust("100 millis")
      yield* change(principal)
      mayChange.openUnsafe()
      const { answer } = yield* advanceUntilDone(Fiber.join(pendingAnswer))
      assert.strictEqual(answer.answer, "Done.")
      assert.sameMembers(recorder.calls, mayRead ? ["mine", "price"] : ["price"])
      const results = model.requests[1]!.turns.filter((turn) => turn._tag === "Result")
      assert.strictEqual(results.some(({ text }) => text.includes("scope_required")), !mayRead)
    }).pipe(Effect.provide(makeEngineWithStores(model, { recorder })))
  })
}
