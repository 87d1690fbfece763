import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { TokenMarkets } from "../../market/TokenMarkets.ts"
import { getStablecoinFlows } from "./getStablecoinFlows.ts"

/** Returns a change relative to the previous supply, in percent. */
const changeOf = (supply: number, change: number): number | null =>
  supply - change > 0 ? (100 * change) / (supply - change) : null

const total = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)

export const handler = handlerOf(
  getStablecoinFlows,
  Effect.gen(function*() {
    const tokens = yield* TokenMarkets
    return Effect.fnUntraced(function*({ days }) {
      const read = yield* tokens.stablecoinFlows(days)
      if (read.value.length === 0) {
        const params = { symbol: "stablecoins" }
        return yield* new NoData({ subject: "stablecoins", reason: { key: "none_recorded", params } })
      }
      // Whole dollars, so that the sums match the rounded values.
      const coins = read.value.map(({ changeUsd, coin, exchangeNetUsd, supplyUsd }) => {
        const [supply_usd, change_usd] = [Math.round(supplyUsd), Math.round(changeUsd)]
        return {
          coin,
          supply_usd,
          change_usd,
          change_pct: changeOf(supply_usd, change_usd),
          exchange_net_usd: exchangeNetUsd === null ? null : Math.round(exchangeNetUsd)
        }
      })
      const nets = coins.flatMap(({ exchange_net_usd }) => exchange_net_usd ?? [])
      const labelled = nets.length === coins.length
      const supply_usd = total(coins.map((one) => one.supply_usd))
      const change_usd = total(coins.map((one) => one.change_usd))
      return {
        days,
        coins,
        supply_usd,
        change_usd,
        change_pct: changeOf(supply_usd, change_usd),
        exchange_net_usd: labelled ? total(nets) : null,
        notes: labelled ? [] : ["exchange_net_usd is null where no source labels the wallets of exchanges."],
        ...provenanceOf(read)
      }
    })
  })
)
