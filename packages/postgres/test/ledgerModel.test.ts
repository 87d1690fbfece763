import { isFullRun } from "@tapeline/testing/fullRun"
import { runLedgerModel } from "@tapeline/testing/ledger/modelRun"
import { Effect, type Layer } from "effect"
import { assert, describe, it } from "vitest"
import { type Client, makeFreshPglite, makeFreshPostgres, type Stores, withStores } from "./support/databases.ts"
import { makeLedgerUnderTest } from "./support/ledgerRows.ts"

const runs = isFullRun ? 100 : 8

const testModel = (name: string, stores: () => Layer.Layer<Stores | Client>) =>
  it(`the ledger's model holds on ${name}`, { timeout: 600_000 }, () =>
    Effect.runPromise(Effect.provide(
      Effect.gen(function*() {
        const ledger = yield* makeLedgerUnderTest
        const result = yield* Effect.promise(() =>
          runLedgerModel(() => Promise.resolve(ledger), { runs, commands: 50 })
        )
        console.log(`${name}: seed ${result.seed}, ${result.runs} runs, ${result.commands} commands`)
        assert.isNull(result.failure)
      }),
      stores()
    )))

if (isFullRun) testModel("PGlite", () => withStores(makeFreshPglite()))
describe("the ledger's model", () => testModel("PostgreSQL", () => withStores(makeFreshPostgres())))
