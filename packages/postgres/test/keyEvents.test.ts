import { PgClient } from "@effect/sql-pg"
import { assert, layer as withLayer } from "@effect/vitest"
import { Administration, AdminStore, Authenticator, defaultPlans, Ledger, Plans } from "@tapeline/core/engine"
import { Effect, Fiber, Layer } from "effect"
import { makeFreshPostgres, waitForLockWaiters, withLockHeld, withStores } from "./support/databases.ts"

const layerServices = Administration.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Ledger.layer, Plans.layer(defaultPlans), Authenticator.layer)),
  Layer.provideMerge(withStores(makeFreshPostgres()))
)

const newKey = Effect.gen(function*() {
  const administration = yield* Administration
  const { id: account } = yield* administration.createAccount({ name: "events", plan: "pro" })
  return (yield* administration.issueKey({ account, name: "k", scopes: [] })).record
})

/** Starts changes one after another while the account is locked, and waits until all have ended. */
const runWhileLocked = (account: number, changes: ReadonlyArray<Effect.Effect<unknown, unknown>>) =>
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const running = yield* withLockHeld(sql, "select 1 from accounts where id = $1 for no key update", [account])(
      Effect.forEach(changes, (change, i) => Effect.tap(Effect.forkChild(change), () => waitForLockWaiters(sql, i + 1)))
    )
    yield* Effect.forEach(running, Fiber.join)
  })

const readEvents = (account: number, type: "key.updated" | "key.revoked") =>
  Effect.flatMap(AdminStore, (store) => store.events({ account, types: [type], after: 0, limit: 100 }))

withLayer(layerServices, { excludeTestServices: true, timeout: 60_000 })(
  "events of concurrent changes of a key",
  (it) => {
    it.effect("contain the limit that each change replaced", () =>
      Effect.gen(function*() {
        const [administration, { account, id }] = [yield* Administration, yield* newKey]
        yield* runWhileLocked(
          account,
          [100, 200, null].map((monthlyCredits) => administration.updateKey(id, { monthlyCredits }))
        )
        const events = yield* readEvents(account, "key.updated")
        assert.deepStrictEqual(events.map(({ after, before }) => [before, after]), [
          [{ monthly_credits: null }, { monthly_credits: 100 }],
          [{ monthly_credits: 100 }, { monthly_credits: 200 }],
          [{ monthly_credits: 200 }, { monthly_credits: null }]
        ])
      }))

    it.effect("record one revocation", () =>
      Effect.gen(function*() {
        const [administration, { account, id }] = [yield* Administration, yield* newKey]
        const revoke = administration.revokeKey(id)
        yield* Effect.all([revoke, revoke, revoke], { concurrency: "unbounded" })
        assert.strictEqual((yield* readEvents(account, "key.revoked")).length, 1)
      }))
  }
)
