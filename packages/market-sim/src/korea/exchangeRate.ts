/** Simulated exchange rates against the won: the interbank dollar rate, and the USDT price on Korean exchanges. */
import { dayMs, lastInterbankTime, minuteMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { dayOf, getWholeDaySegment } from "../coin/coinSeries.ts"
import { computeMomentum } from "../coin/momentum.ts"
import { Drivers } from "../kernel/Drivers.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { type Key, makeStreamKey } from "../kernel/random.ts"
import { getPartLengths } from "../path/intervalLadder.ts"
import { Series, type SeriesCache } from "../path/Series.ts"

const anchorRate = 1_410
const dayOf2026 = 20_454
const dailySd = 0.0042

export class ForeignExchange {
  readonly #series: Series
  readonly #key: Key
  readonly #bitcoin: CoinMarket

  constructor(seed: number | string, id: number, cache: SeriesCache, bitcoin: CoinMarket) {
    const drivers = new Drivers([{ key: makeStreamKey(seed, "usd_krw"), returns: 1, volatility: 1 }])
    this.#bitcoin = bitcoin
    this.#key = makeStreamKey(seed, "usdt_krw")
    this.#series = new Series({
      id,
      drivers,
      market: drivers,
      anchor: (day) => Math.log(anchorRate) + (day < dayOf2026 ? 0.03 : 0.005) * (day - dayOf2026) / 365,
      dailySd,
      dayWeight: () => 1,
      dailyVolume: () => 1,
      bars: {
        getActivity: (_, seconds) => seconds,
        getPrice: Math.exp,
        valueScale: 1,
        getPartLengths,
        getDraws: (start, seconds, mix) => drivers.at(start, seconds, mix)
      }
    }, cache)
  }

  /** Returns won per US dollar, or the last rate before the weekend on weekends. */
  getUsdKrw(time: number): number {
    const quoteTime = lastInterbankTime(time)
    const root = this.#series.getSegment(dayOf(quoteTime), getWholeDaySegment(dayOf(quoteTime)), 0)
    return Math.round(Math.exp(this.#series.getLogPrice(root, Math.floor(quoteTime / 1000))) * 100) / 100
  }

  /**
   * Returns the price of USDT in won. The price contains a premium over the dollar rate. The premium increases after a
   * rise of bitcoin.
   */
  getUsdtKrw(time: number): number {
    const premium = 0.006 + 0.007 * stationaryNoise(this.#key, time, 10 * minuteMs, 32 * dayMs)
      + 0.008 * computeMomentum(this.#bitcoin, time, 7 * dayMs, 1.5)
    return Math.round(this.getUsdKrw(time) * (1 + premium) * 10) / 10
  }
}
