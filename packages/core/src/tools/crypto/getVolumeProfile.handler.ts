import { volumeProfile } from "@tapeline/quant/indicators"
import { Clock, Effect } from "effect"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { bucketStart, durationMs, hourMs } from "../../market/timeframe.ts"
import { getVolumeProfile } from "./getVolumeProfile.ts"

const bins = 24
const share = 0.7

/** Returns the finest timeframe with fewer than a thousand candles, so that a caller can repeat the computation. */
const timeframeFor = (hours: number) => hours <= 80 ? "5m" as const : hours <= 240 ? "15m" as const : "1h" as const

export const handler = handlerOf(
  getVolumeProfile,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, hours }) {
      const tf = timeframeFor(hours)
      const until = yield* Clock.currentTimeMillis
      const bars = (hours * hourMs) / durationMs[tf]
      const read = yield* prices.candles({ coin, timeframe: tf, bars, until })
      const candles = read.value
      const column = (of: (candle: typeof candles[number]) => number) => Float64Array.from(candles, of)
      const volumes = column(({ volume }) => volume)
      const profile = volumeProfile(column(({ high }) => high), column(({ low }) => low), volumes, bins, share)
      const from = bucketStart(tf, until) - (bars - 1) * durationMs[tf]
      const area = profile?.valueArea
      const held = area === undefined
        ? []
        : profile!.bins.filter(({ high, low }) => low >= area.low && high <= area.high)
      const notes: Array<string> = []
      if (candles.length < bars) {
        notes.push(
          `${counted(bars - candles.length, "candle")} since ${
            instant(from)
          } missing: before the coin's history, or not recorded.`
        )
      }
      if (profile === null) notes.push("Nothing was traded: there is no point of control, and no value area.")
      return {
        coin,
        hours,
        tf,
        from: instant(candles[0]!.time),
        price: candles.at(-1)!.close,
        poc: profile?.poc ?? null,
        value_area: area === undefined
          ? null
          : { ...area, volume_pct: (100 * held.reduce((sum, { volume }) => sum + volume, 0)) / profile!.volume },
        volume: profile?.volume ?? 0,
        bins: profile?.bins ?? [],
        n: candles.length,
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
