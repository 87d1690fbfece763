import type { Candle } from "@tapeline/core"

export const closes = (candles: ReadonlyArray<Candle>): ReadonlyArray<number> => candles.map(({ close }) => close)
