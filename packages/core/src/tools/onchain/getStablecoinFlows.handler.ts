import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { TokenMarkets } from "../../market/TokenMarkets.ts"
import { getStablecoinFlows } from "./getStablecoinFlows.ts"

/** Returns a change in percent of the supply before the change, or null if that supply was not positive. */
const computeChangePct = (supply: number, change: number): number | null =>
  supply - change > 0 ? (100 * change) / (supply - change) : null

const sumValues = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)

export const handler = handlerOf(
  getStablecoinFlows,
  Effect.gen(function*() {
    const tokens = yield* TokenMarkets
    return Effect.fnUntraced(function*({ days }) {
      const reading = yield* tokens.stablecoinFlows(days)
      if (reading.value.length === 0) {
        const params = { symbol: "stablecoins" }
        return yield* new NoData({ subject: "stablecoins", reason: { key: "none_recorded", params } })
      }
      // The values are rounded to whole dollars, so that the sums match the rounded values.
      const coins = reading.value.map(({ changeUsd, coin, exchangeNetUsd, supplyUsd }) => {
        const [supply_usd, change_usd] = [Math.round(supplyUsd), Math.round(changeUsd)]
        return {
          coin,
          supply_usd,
          change_usd,
          change_pct: computeChangePct(supply_usd, change_usd),
          exchange_net_usd: exchangeNetUsd === null ? null : Math.round(exchangeNetUsd)
        }
      })
      const nets = coins.flatMap(({ exchange_net_usd }) => exchange_net_usd ?? [])
      const isLabelled = nets.length === coins.length
      const supply_usd = sumValues(coins.map((coin) => coin.supply_usd))
      const change_usd = sumValues(coins.map((coin) => coin.change_usd))
      return {
        days,
        coins,
        supply_usd,
        change_usd,
        change_pct: computeChangePct(supply_usd, change_usd),
        exchange_net_usd: isLabelled ? sumValues(nets) : null,
        notes: isLabelled ? [] : ["exchange_net_usd is null because no source labels the wallets of exchanges."],
        ...provenanceOf(reading)
      }
    })
  })
)
