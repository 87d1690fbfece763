import { Effect } from "effect"
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
import type { LiveSettings } from "./LiveSettings.ts"

/** Facts of coins, the whole market, markets in won with prices abroad, and exchange rates. */
export const wonAndFactsCollectors = ({ coins, krwDays }: LiveSettings) =>
  Effect.gen(function*() {
    const [binance, bybit, okx] = yield* Effect.all([BinanceSpot, BybitMarket, OkxMarket])
    const venues = [binanceSpotVenue(binance), bybitSpotVenue(bybit), okxSpotVenue(okx)] as const
    const all = yield* Effect.all([
      coinCollectors({ ...(coins === undefined ? {} : { coins }), venues }),
      krwCollectors({ ...(krwDays === undefined ? {} : { krwDays }), venues }),
      ecbCollectors()
    ])
    return all.flat()
  })
