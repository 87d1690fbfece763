import { assert, it } from "@effect/vitest"
import { dayMs, minuteMs } from "@tapeline/core"
import { derivedQuestions, makeDerivedEngine, makeMemoryDerivedDays } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerGappyMarket, now, openOutage } from "./support/markets.ts"

it.effect(
  "two engines that share a store return what a fresh engine computes, before and after a backfill",
  () =>
    Effect.gen(function*() {
      const store = makeMemoryDerivedDays()
      const engines = [
        yield* makeDerivedEngine(layerGappyMarket, { store }),
        yield* makeDerivedEngine(layerGappyMarket, { store })
      ] as const
      const readAllDerived = (engine: (typeof engines)[number], coin: string) =>
        Effect.forEach(
          derivedQuestions,
          (question) => Effect.match(question(engine, coin), { onFailure: String, onSuccess: (value) => value })
        )
      // The engines take turns in computing first, so that each engine also finds results that the other engine stored.
      const between = isFullRun ? [now + 50 * minuteMs] : []
      const instants = [now, ...between, openOutage.filledAt - 1, openOutage.filledAt + minuteMs, now + dayMs]
      const answers: Array<unknown> = []
      for (const [i, time] of instants.entries()) {
        yield* TestClock.setTime(time)
        const fresh = yield* makeDerivedEngine(layerGappyMarket, { bytes: 0 })
        for (const coin of isFullRun ? ["ETH", "SOL"] : ["ETH"]) {
          const expected = yield* readAllDerived(fresh, coin)
          assert.deepStrictEqual(yield* readAllDerived(engines[i % 2]!, coin), expected)
          assert.deepStrictEqual(yield* readAllDerived(engines[(i + 1) % 2]!, coin), expected)
          answers.push(expected)
        }
      }
      // The results just before and just after the backfill must differ.
      assert.notDeepEqual(answers.at(isFullRun ? -4 : -2), answers.at(isFullRun ? -6 : -3))
    }).pipe(Effect.scoped),
  120_000
)
