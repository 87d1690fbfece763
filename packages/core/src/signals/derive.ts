import { Effect } from "effect"
import { Compute } from "../compute/Compute.ts"
import { CoinDerivatives } from "../market/CoinDerivatives.ts"
import { CoinPrices } from "../market/CoinPrices.ts"
import { SocialFeed } from "../market/SocialFeed.ts"
import { makeDailyFearGreed } from "./dailyFearGreed.ts"
import type { Derivation } from "./derivation.ts"
import { deriveCoils } from "./deriveCoils.ts"
import { deriveScores } from "./deriveScores.ts"
import { deriveSignals } from "./deriveSignals.ts"
import { makeHourlyRegimes } from "./hourlyRegimes.ts"
import { makeHourlyScores } from "./hourlyScores.ts"
import { makeOneByOne } from "./oneByOne.ts"

/** `DerivedStore` over the raw series. */
export const derive = Effect.gen(function*() {
  const prices = yield* CoinPrices
  const derivatives = yield* CoinDerivatives
  const oneByOne = makeOneByOne()
  const compute = yield* Compute
  const derivation: Derivation = {
    prices,
    derivatives,
    oneByOne,
    scored: makeHourlyScores({ prices, derivatives }, compute, oneByOne),
    regimes: makeHourlyRegimes(prices, compute)
  }
  return {
    ...deriveScores(derivation),
    ...deriveSignals(derivation),
    coil: deriveCoils(derivation),
    fearGreed: makeDailyFearGreed(derivation, yield* SocialFeed)
  }
})
