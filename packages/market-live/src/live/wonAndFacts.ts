import { Effect, Option } from "effect"
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
import type { LiveSettings } from "./LiveSettings.ts"

/** How far back what a dollar costs is recorded. */
const rateDays = 400

/** What a dollar costs in won, of one source: Yahoo's finer rate where it is asked at all. */
const dollarCollectors = Effect.flatMap(Effect.serviceOption(Yahoo), (yahoo) =>
  Option.isNone(yahoo)
    ? ecbCollectors({ ecbDays: rateDays })
    : Effect.provideService(Effect.map(yahooRates({ days: rateDays }), (one) => [one]), Yahoo, yahoo.value))

/** Facts of coins, the whole market, markets in won with prices abroad, and exchange rates. */
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
