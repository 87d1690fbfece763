import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { GenerationStore } from "@tapeline/core/agent"
import { PgStores } from "@tapeline/postgres"
import { begin, delta, endOf, fenceOf, newAccount, taken } from "@tapeline/testing/agent/fixtures"
import { conversationStoreContract } from "@tapeline/testing/contracts/conversationStore"
import { generationFailpointContract } from "@tapeline/testing/contracts/generationFailpoints"
import { generationLogContract } from "@tapeline/testing/contracts/generationLog"
import { generationStoreContract } from "@tapeline/testing/contracts/generationStore"
import { Effect, Fiber, Layer } from "effect"
import {
  type Client,
  freshPglite,
  freshPostgres,
  hold,
  onPostgres,
  type Stores,
  withStores
} from "./support/databases.ts"

/** The database's clock goes its own way, so the rows are put back instead. */
const advance = (ms: number) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) =>
      Effect.asVoid(sql`update generations set started_at = started_at - ${String(ms)}::bigint,
        renewed_at = renewed_at - ${String(ms)}::bigint, ended_at = ended_at - ${String(ms)}::bigint`)
  )

const contracts = (name: string, stores: Layer.Layer<Stores | Client>) => {
  generationStoreContract(name, stores, advance, { excludeTestServices: true })
  conversationStoreContract(name, stores, { excludeTestServices: true })
  generationLogContract(name, stores, { excludeTestServices: true })
}

contracts("PGlite", withStores(freshPglite()))
generationFailpointContract(
  "PGlite",
  (failpoints) => PgStores.pipe(Layer.provide(failpoints), Layer.provideMerge(freshPglite()))
)
onPostgres("agent stores", () => {
  contracts("PostgreSQL", withStores(freshPostgres()))

  it.live("a row that somebody holds delays its own generation alone, and what it waits for is made once", () =>
    Effect.gen(function*() {
      const [generations, sql] = [yield* GenerationStore, yield* PgClient.PgClient]
      const account = yield* newAccount
      const take = Effect.flatMap(begin(account), ({ id }) => taken(id))
      const [one, other] = [yield* take, yield* take]
      const waiting = yield* hold(sql, "select from generations where id = $1 for update", [one.id])(
        Effect.gen(function*() {
          const waiting = yield* Effect.forkDetach(generations.append(fenceOf(one), [delta("a")]))
          assert.isTrue(yield* generations.append(fenceOf(other), [delta("b")]))
          assert.isTrue((yield* generations.end(fenceOf(other), endOf(other.conversation))).held)
          assert.isUndefined(waiting.pollUnsafe())
          return waiting
        })
      )
      assert.isTrue(yield* Fiber.join(waiting))
      assert.strictEqual((yield* generations.find(one.id))?.nextN, 3)
    }).pipe(Effect.provide(withStores(freshPostgres()))))
})
