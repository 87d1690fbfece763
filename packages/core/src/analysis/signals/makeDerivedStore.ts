import { Effect } from "effect"
import { Compute } from "../../engine/compute/Compute.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { SocialFeed } from "../../market/SocialFeed.ts"
import { makeFearGreedReader } from "./dailyFearGreed.ts"
import { DerivedMemory, MemoryDayCache } from "./dayCache/MemoryDayCache.ts"
import { RecentRowCache } from "./dayCache/RecentRowCache.ts"
import type { DayCaches } from "./dayCache/SeriesCache.ts"
import { makeSharedDays, withWaitBudget } from "./dayCache/sharedDays.ts"
import type { Derivation } from "./derivation.ts"
import { makeCoilReader } from "./deriveCoils.ts"
import { DerivedDays } from "./DerivedDays.ts"
import { makeDivergenceReader } from "./deriveDivergences.ts"
import { makeScoreReaders } from "./deriveScores.ts"
import { makeSignalReaders } from "./deriveSignals.ts"
import { makeHourlyRegimes } from "./hourlyRegimes.ts"
import { makeHourlyScores } from "./hourlyScores.ts"
import { makeYieldingRunner } from "./scheduling.ts"

/** Creates the inputs of all derivations. Derived values are cached in `dayCaches`. */
export const makeDerivation = Effect.fnUntraced(function*(dayCaches: DayCaches) {
  const prices = yield* CoinPrices
  const derivatives = yield* CoinDerivatives
  const runAfterYield = makeYieldingRunner()
  const compute = yield* Compute
  const social = yield* SocialFeed
  const derivation: Derivation = {
    prices,
    derivatives,
    runAfterYield,
    social,
    dayCaches,
    readScores: makeHourlyScores({ prices, derivatives }, compute, runAfterYield, dayCaches),
    readRegimes: makeHourlyRegimes(prices, compute, dayCaches)
  }
  return derivation
})

export const makeDerivedStore = Effect.gen(function*() {
  const { bytes } = yield* DerivedMemory
  const rowCacheBytes = Math.floor(bytes / 16)
  const derivation = yield* makeDerivation({
    memory: new MemoryDayCache(bytes - rowCacheBytes),
    recent: new RecentRowCache(rowCacheBytes),
    shared: yield* makeSharedDays(yield* DerivedDays)
  })
  const { score, scoreHistory, scores } = makeScoreReaders(derivation)
  const { hitRates, regime, signals } = makeSignalReaders(derivation)
  const fearGreed = makeFearGreedReader(derivation)
  return {
    score: (coin: string) => withWaitBudget(score(coin)),
    scores: withWaitBudget(scores),
    scoreHistory: (query: Parameters<typeof scoreHistory>[0]) => withWaitBudget(scoreHistory(query)),
    regime: withWaitBudget(regime),
    signals: (query: Parameters<typeof signals>[0]) => withWaitBudget(signals(query)),
    hitRates: (query: Parameters<typeof hitRates>[0]) => withWaitBudget(hitRates(query)),
    fearGreed: (days: number) => withWaitBudget(fearGreed(days)),
    divergences: makeDivergenceReader(derivation),
    coil: makeCoilReader(derivation)
  }
})
