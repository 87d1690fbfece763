import { assert, it } from "@effect/vitest"
import { JournalStore } from "@tapeline/core/personal"
import { MemoryJournalStore, MemoryState } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { runJournalModel } from "@tapeline/testing/journal/modelRun"
import { journalMutants, mutantJournalStore } from "@tapeline/testing/journal/mutants"
import { Effect, Layer } from "effect"

const journal = Layer.provide(MemoryJournalStore, MemoryState.layer)
const runs = isFullRun ? 2_000 : 40

for (const mutant of journalMutants) {
  it.effect(`the model test detects a journal that ${mutant}`, () =>
    Effect.gen(function*() {
      const store = yield* JournalStore
      // The ids of the two accounts differ only in the last bit, because some mutants confuse two such accounts.
      let account = 1
      const failure = yield* runJournalModel(mutantJournalStore(store, mutant), () => ++account, { runs: 3_000 })
      assert.isNotNull(failure)
    }).pipe(Effect.provide(journal)))
}

it.effect("the model test passes for the memory journal", () =>
  Effect.gen(function*() {
    let account = 1
    assert.isNull(yield* runJournalModel(yield* JournalStore, () => ++account, { runs }))
  }).pipe(Effect.provide(journal)))
