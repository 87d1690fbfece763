import { Effect } from "effect"
import { Compute } from "../../engine/compute/Compute.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { SocialFeed } from "../../market/SocialFeed.ts"
import { makeDailyFearGreed } from "./dailyFearGreed.ts"
import type { Derivation } from "./derivation.ts"
import { deriveCoils } from "./deriveCoils.ts"
import { DerivedDays } from "./DerivedDays.ts"
import { deriveDivergences } from "./deriveDivergences.ts"
import { deriveScores } from "./deriveScores.ts"
import { deriveSignals } from "./deriveSignals.ts"
import { makeHourlyRegimes } from "./hourlyRegimes.ts"
import { makeHourlyScores } from "./hourlyScores.ts"
import { makeOneByOne } from "./oneByOne.ts"
import { DayMemory } from "./remembered/DayMemory.ts"
import { keepDays } from "./remembered/keepDays.ts"
import { PassingRows } from "./remembered/PassingRows.ts"
import { patiently } from "./remembered/patience.ts"
import { DerivedMemory } from "./remembered/settings.ts"
import type { Remembering } from "./remembered/Shelf.ts"

/** Creates the inputs of all derivations. `remembering` determines where their days are cached. */
export const makeDerivation = Effect.fnUntraced(function*(remembering: Remembering) {
  const prices = yield* CoinPrices
  const derivatives = yield* CoinDerivatives
  const oneByOne = makeOneByOne()
  const compute = yield* Compute
  const social = yield* SocialFeed
  const derivation: Derivation = {
    prices,
    derivatives,
    oneByOne,
    social,
    remembering,
    scored: makeHourlyScores({ prices, derivatives }, compute, oneByOne, remembering),
    regimes: makeHourlyRegimes(prices, compute, remembering)
  }
  return derivation
})

/** Implements `DerivedStore` on the raw series. */
export const derive = Effect.gen(function*() {
  const { bytes } = yield* DerivedMemory
  const passingBytes = Math.floor(bytes / 16)
  const derivation = yield* makeDerivation({
    memory: new DayMemory(bytes - passingBytes),
    passing: new PassingRows(passingBytes),
    kept: yield* keepDays(yield* DerivedDays)
  })
  const { score, scoreHistory, scores } = deriveScores(derivation)
  const { hitRates, regime, signals } = deriveSignals(derivation)
  const fearGreed = makeDailyFearGreed(derivation)
  return {
    score: (coin: string) => patiently(score(coin)),
    scores: patiently(scores),
    scoreHistory: (query: Parameters<typeof scoreHistory>[0]) => patiently(scoreHistory(query)),
    regime: patiently(regime),
    signals: (query: Parameters<typeof signals>[0]) => patiently(signals(query)),
    hitRates: (query: Parameters<typeof hitRates>[0]) => patiently(hitRates(query)),
    fearGreed: (days: number) => patiently(fearGreed(days)),
    divergences: deriveDivergences(derivation),
    coil: deriveCoils(derivation)
  }
})
