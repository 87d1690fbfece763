import { ExchangeRates } from "@tapeline/core/market"
import { Effect, Layer, Option } from "effect"
import {
  binanceSpotVenue,
  bybitSpotVenue,
  coinCollectors,
  ecbCollectors,
  krwCollectors,
  okxSpotVenue
} from "../collect/index.ts"
import { BinanceSpot } from "../sources/binance/spot.ts"
import { BybitMarket } from "../sources/bybit/market.ts"
import { OkxMarket } from "../sources/okx/market.ts"
import { yahooRates } from "../sources/yahoo/rates.ts"
import { Yahoo } from "../sources/yahoo/Yahoo.ts"
import { storedExchangeRates } from "../stored/index.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { type Feeders, whileFed } from "./whileFed.ts"

/** How many days of the dollar's rate are backfilled. */
const rateDays = 400

/** The collectors of the dollar's rate in won: Yahoo's rate if Yahoo is enabled, otherwise the ECB's daily rate. */
const dollarCollectors = Effect.flatMap(Effect.serviceOption(Yahoo), (yahoo) =>
  Option.isNone(yahoo)
    ? ecbCollectors({ ecbDays: rateDays })
    : Effect.provideService(Effect.map(yahooRates({ days: rateDays }), (one) => [one]), Yahoo, yahoo.value))

/** The collectors of coin facts, the whole market, won markets with prices abroad, and exchange rates. */
export const wonAndFactsCollectors = ({ coins, krwDays }: LiveSettings) =>
  Effect.gen(function*() {
    const [binance, bybit, okx] = yield* Effect.all([BinanceSpot, BybitMarket, OkxMarket])
    const venues = [binanceSpotVenue(binance), bybitSpotVenue(bybit), okxSpotVenue(okx)] as const
    const all = yield* Effect.all([
      coinCollectors({ ...(coins === undefined ? {} : { coins }), venues }),
      krwCollectors({ ...(krwDays === undefined ? {} : { krwDays }), venues }),
      dollarCollectors
    ])
    return all.flat()
  })

/**
 * The port of the rates of a dollar and of a USDT in won, over the store. Each pair has its own sources, which do not
 * replace those of the other pair.
 */
export const ratesPort = ({ yahoo }: LiveSettings) =>
  Layer.effect(
    ExchangeRates,
    Effect.gen(function*() {
      const fedBy = (feeders: Feeders) =>
        Effect.provide(ExchangeRates, whileFed(ExchangeRates, storedExchangeRates, feeders))
      const of = {
        usd_krw: yield* fedBy([yahoo === undefined ? "ecb" : "yahoo"]),
        usdt_krw: yield* fedBy(["upbit", "bithumb"])
      }
      return ExchangeRates.of({
        rate: (query) => of[query.pair].rate(query),
        history: (query) => of[query.pair].history(query)
      })
    })
  )
