import { ExchangeRates } from "@tapeline/core/market"
import { Array as Arr, Effect, Layer, Option } from "effect"
import { coinCollectors, ecbCollectors, krwCollectors } from "../collect/index.ts"
import { storedExchangeRates } from "../stored/index.ts"
import { makeYahooRatesCollector } from "../yahoo/rates.ts"
import { Yahoo } from "../yahoo/Yahoo.ts"
import { CoinVenues } from "./CoinVenues.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { type SourceNames, withSourceHealth } from "./withSourceHealth.ts"

const rateDays = 400

/** The collectors of the dollar's price in won, from Yahoo if enabled, or else from the ECB. */
const usdKrwCollectors = Effect.flatMap(Effect.serviceOption(Yahoo), (yahoo) =>
  Option.isNone(yahoo)
    ? ecbCollectors({ ecbDays: rateDays })
    : Effect.provideService(
      Effect.map(makeYahooRatesCollector({ days: rateDays }), (one) => [one]),
      Yahoo,
      yahoo.value
    ))

/** Returns the collectors of coin facts, total market capitalisation, won markets and exchange rates. */
export const krwAndCoinFactsCollectors = Effect.fnUntraced(function*({ coins, krwDays }: LiveSettings) {
  const venues = Arr.map(yield* CoinVenues, ({ spot }) => spot)
  const all = yield* Effect.all([
    coinCollectors({ ...(coins === undefined ? {} : { coins }), venues }),
    krwCollectors({ ...(krwDays === undefined ? {} : { krwDays }), venues }),
    usdKrwCollectors
  ])
  return all.flat()
})

/** Provides `ExchangeRates` from the store, where each currency pair has its own sources. */
export const layerRates = ({ yahoo }: LiveSettings) =>
  Layer.effect(
    ExchangeRates,
    Effect.gen(function*() {
      const ratesFrom = (feeders: SourceNames) =>
        Effect.provide(ExchangeRates, withSourceHealth(ExchangeRates, storedExchangeRates, feeders))
      const ratesByPair = {
        usd_krw: yield* ratesFrom([yahoo === undefined ? "ecb" : "yahoo"]),
        usdt_krw: yield* ratesFrom(["upbit", "bithumb"])
      }
      return ExchangeRates.of({
        rate: (query) => ratesByPair[query.pair].rate(query),
        history: (query) => ratesByPair[query.pair].history(query)
      })
    })
  )
