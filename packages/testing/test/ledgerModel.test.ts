import { KeyStore, LedgerStore } from "@tapeline/core/engine"
import { MemoryKeyStore, MemoryLedgerStore, MemoryState } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import type { LedgerUnderTest } from "@tapeline/testing/ledger/modelCommand"
import { runLedgerModel } from "@tapeline/testing/ledger/modelRun"
import { ledgerMutants, mutantLedgerStore } from "@tapeline/testing/ledger/mutants"
import { readMemoryRows } from "@tapeline/testing/ledger/rows"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"

const memory = Layer.mergeAll(MemoryKeyStore, MemoryLedgerStore).pipe(Layer.provideMerge(MemoryState.layer))

const makeLedgerUnderTestFrom = (layer: Layer.Layer<KeyStore | LedgerStore | MemoryState>): Promise<LedgerUnderTest> =>
  Effect.runPromise(Effect.provide(
    Effect.gen(function*() {
      const tables = yield* MemoryState
      return {
        store: yield* LedgerStore,
        keys: yield* KeyStore,
        readRows: (accounts: ReadonlyArray<number>) =>
          Effect.provideService(readMemoryRows(accounts), MemoryState, tables)
      }
    }),
    layer
  ))

describe("the model test of the ledger", () => {
  it("passes for the memory store", { timeout: 300_000 }, async () => {
    const result = await runLedgerModel(() => makeLedgerUnderTestFrom(memory), {
      runs: isFullRun ? 2_000 : 60,
      commands: 50
    })
    console.log(`memory: seed ${result.seed}, ${result.runs} runs, ${result.commands} commands`)
    assert.isNull(result.failure)
  })

  for (const rule of ledgerMutants) {
    it(`detects a store that breaks rule ${rule}`, { timeout: 300_000 }, async () => {
      const mutantStore = mutantLedgerStore(rule).pipe(Layer.provideMerge(memory))
      const result = await runLedgerModel(() => makeLedgerUnderTestFrom(mutantStore), {
        runs: 2_000,
        commands: 50,
        shrink: false
      })
      console.log(`rule ${rule} broken: seed ${result.seed}, caught in run ${result.runs}`)
      assert.isNotNull(result.failure)
    })
  }
})
