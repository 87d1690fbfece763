import { Schema } from "effect"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument, timeframeArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const lengths = ["15m", "1h", "4h", "1d"] as const

const Level = Schema.Struct({
  price: quantity("Mean of the swings merged into the level, USD", level),
  touches: Schema.Int.annotate({ description: "Number of swings merged into the level" }),
  strength: quantity("100 (1 - 2^-touches) 2^(-age / 150): age of the latest touch in candles; 0 to 100", points),
  distance_pct: quantity("From the close, percent; below 0 for supports", percent)
})

const Swing = Schema.Struct({ time: Instant, price: quantity("USD") })

export const getLevels = specify({
  name: "get_levels",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Supports and resistances of a coin: swings, Fibonacci, pivots. Volume by price: get_volume_profile.",
  parameters: Schema.Struct({ coin: CoinArgument, tf: timeframeArgument(lengths, "4h"), at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    tf: Schema.Literals(lengths),
    close: quantity("Close of the last closed candle, from which distances are measured, USD"),
    supports: Schema.Array(Level).annotate({ description: "At or below the close, nearest first" }),
    resistances: Schema.Array(Level).annotate({ description: "Above the close, nearest first" }),
    swing_high: Schema.NullOr(Swing).annotate({
      description: "The last confirmed swing high: above 5 candles on each side"
    }),
    swing_low: Schema.NullOr(Swing).annotate({
      description: "The last confirmed swing low: below 5 candles on each side"
    }),
    fibonacci: Schema.NullOr(Schema.Struct({
      direction: Schema.Literals(["up", "down"]),
      from: Swing,
      to: Swing,
      retracements: Schema.Array(Schema.Struct({
        ratio: quantity("Retraced share of the leg", fraction),
        price: quantity("USD", level)
      }))
    })).annotate({ description: "Retracements of the last leg between confirmed swings" }),
    pivots: Schema.NullOr(Schema.Struct({
      from: Instant.annotate({ description: "Start of the previous period: a UTC day, or a week with tf 1d" }),
      to: Instant,
      pivot: quantity("(high + low + close) / 3, USD", level),
      r1: quantity("USD", level),
      r2: quantity("USD", level),
      r3: quantity("USD", level),
      s1: quantity("USD", level),
      s2: quantity("USD", level),
      s3: quantity("USD", level)
    })).annotate({ description: "Classic pivot points of the previous period" }),
    atr: nullableQuantity("Average true range (14, Wilder), USD; swings within half an ATR form one level", level),
    n: Schema.Int.annotate({ description: "Number of closed candles used" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
