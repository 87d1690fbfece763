/** Exchange rates against the won: the interbank dollar, and USDT on the KRW exchanges. */
import { dayMs, interbankTime, minuteMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { dayOf, wholeDay } from "../coin/coinSeries.ts"
import { momentum } from "../coin/momentum.ts"
import { Drivers } from "../kernel/factors.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { type Key, streamKey } from "../kernel/random.ts"
import { partsOf } from "../path/ladder.ts"
import { Series, type SeriesCache } from "../path/Series.ts"

const anchorRate = 1_410
const dayOf2026 = 20_454
const dailySd = 0.0042

export class ForeignExchange {
  readonly #series: Series
  readonly #key: Key
  readonly #bitcoin: CoinMarket

  constructor(seed: number | string, id: number, cache: SeriesCache, bitcoin: CoinMarket) {
    const drivers = new Drivers([{ key: streamKey(seed, "usd_krw"), returns: 1, volatility: 1 }])
    this.#bitcoin = bitcoin
    this.#key = streamKey(seed, "usdt_krw")
    this.#series = new Series({
      id,
      drivers,
      market: drivers,
      anchor: (day) => Math.log(anchorRate) + (day < dayOf2026 ? 0.03 : 0.005) * (day - dayOf2026) / 365,
      dailySd,
      dayWeight: () => 1,
      dailyVolume: () => 1,
      bars: {
        activity: (_, seconds) => seconds,
        price: Math.exp,
        valueScale: 1,
        partsOf,
        draws: (start, seconds, mix) => drivers.at(start, seconds, mix)
      }
    }, cache)
  }

  /** Won per dollar. At weekends it is the last rate. */
  usdKrw(time: number): number {
    const at = interbankTime(time)
    const root = this.#series.segment(dayOf(at), wholeDay(dayOf(at)), 0)
    return Math.round(Math.exp(this.#series.logPriceAt(root, Math.floor(at / 1000))) * 100) / 100
  }

  /** Won per USDT: the dollar's rate plus the Korean premium, which is higher after a rise of the market. */
  usdtKrw(time: number): number {
    const above = 0.006 + 0.007 * stationaryNoise(this.#key, time, 10 * minuteMs, 32 * dayMs)
      + 0.008 * momentum(this.#bitcoin, time, 7 * dayMs, 1.5)
    return Math.round(this.usdKrw(time) * (1 + above) * 10) / 10
  }
}
