import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinPrices, maxPriceAgeMs } from "../../market/CoinPrices.ts"
import type { Coin } from "../../market/instrument.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { minuteMs } from "../../market/timeframe.ts"
import { getPriceAt } from "./getPriceAt.ts"
import { computeChangePct } from "./priceHistory.ts"

const explainMissingPrice = ({ coin, delistedAt }: Coin): string =>
  delistedAt === null
    ? `No price of ${coin} is recorded in the last ${maxPriceAgeMs / minuteMs} minutes.`
    : `${coin} stopped trading on ${formatInstant(delistedAt).slice(0, 10)}, so it has no price now.`

export const handler = handlerOf(
  getPriceAt,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, minutes_ago }) {
      // The clock is read once, so that `minutes_ago: 0` is the current time and the change is exactly 0.
      const time = yield* Clock.currentTimeMillis
      const then = yield* prices.priceAt({ coin, time: time - minutes_ago * minuteMs })
      const now = yield* Effect.catchTag(prices.priceAt({ coin, time }), "NoData", () => Effect.succeed(null))
      const newest = now ?? then
      return {
        coin,
        minutes_ago,
        time: formatInstant(then.value.time),
        price: then.value.price,
        price_now: now?.value.price ?? null,
        change_pct: now === null ? null : computeChangePct(then.value.price, now.value.price),
        notes: now === null ? [explainMissingPrice((yield* prices.coin(coin)).value)] : [],
        ...provenanceOf(newest),
        source: sourceText(then, newest)
      }
    })
  })
)
