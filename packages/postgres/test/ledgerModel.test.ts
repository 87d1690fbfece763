import { runLedgerModel } from "@tapeline/testing/ledger/modelRun"
import { Effect, type Layer } from "effect"
import { assert, describe, it } from "vitest"
import { type Client, freshPglite, freshPostgres, full, type Stores, withStores } from "./support/databases.ts"
import { ledgerUnderTest } from "./support/rows.ts"

const runs = full ? 200 : 8

const holds = (name: string, stores: () => Layer.Layer<Stores | Client>) =>
  it(`the ledger's model holds on ${name}`, { timeout: 600_000 }, () =>
    Effect.runPromise(Effect.provide(
      Effect.gen(function*() {
        const ledger = yield* ledgerUnderTest
        const result = yield* Effect.promise(() =>
          runLedgerModel(() => Promise.resolve(ledger), { runs, commands: 50 })
        )
        console.log(`${name}: seed ${result.seed}, ${result.runs} runs, ${result.commands} commands`)
        assert.isNull(result.failure)
      }),
      stores()
    )))

if (full) holds("PGlite", () => withStores(freshPglite()))
describe("the ledger's model", () => holds("PostgreSQL", () => withStores(freshPostgres())))
