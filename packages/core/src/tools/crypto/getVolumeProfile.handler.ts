import { volumeProfile } from "@tapeline/quant/indicators"
import { Clock, Effect } from "effect"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { bucketStart, durationMs, hourMs } from "../../market/timeframe.ts"
import { getVolumeProfile } from "./getVolumeProfile.ts"

const binCount = 24
const valueAreaShare = 0.7

/** Returns the finest timeframe with fewer than 1,000 candles in the given number of hours. */
const chooseTimeframe = (hours: number) => hours <= 80 ? "5m" as const : hours <= 240 ? "15m" as const : "1h" as const

export const handler = handlerOf(
  getVolumeProfile,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, hours }) {
      const tf = chooseTimeframe(hours)
      const until = yield* Clock.currentTimeMillis
      const bars = (hours * hourMs) / durationMs[tf]
      const reading = yield* prices.candles({ coin, timeframe: tf, bars, until })
      const candles = reading.value
      const column = (valueOf: (candle: typeof candles[number]) => number) => Float64Array.from(candles, valueOf)
      const volumes = column(({ volume }) => volume)
      const profile = volumeProfile(
        column(({ high }) => high),
        column(({ low }) => low),
        volumes,
        binCount,
        valueAreaShare
      )
      const from = bucketStart(tf, until) - (bars - 1) * durationMs[tf]
      const area = profile?.valueArea
      const valueAreaBins = area === undefined
        ? []
        : profile!.bins.filter(({ high, low }) => low >= area.low && high <= area.high)
      const notes: Array<string> = []
      if (candles.length < bars) {
        notes.push(
          `${formatCount(bars - candles.length, "candle")} since ${
            formatInstant(from)
          } missing: older than the coin's history, or not recorded.`
        )
      }
      if (profile === null) notes.push("Nothing was traded, so there is no point of control and no value area.")
      return {
        coin,
        hours,
        tf,
        from: formatInstant(candles[0]!.time),
        price: candles.at(-1)!.close,
        poc: profile?.poc ?? null,
        value_area: area === undefined
          ? null
          : {
            ...area,
            volume_pct: (100 * valueAreaBins.reduce((sum, { volume }) => sum + volume, 0)) / profile!.volume
          },
        volume: profile?.volume ?? 0,
        bins: profile?.bins ?? [],
        n: candles.length,
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
