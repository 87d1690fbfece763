import type { Candle } from "@tapeline/core"

export const readCloses = (candles: ReadonlyArray<Candle>): ReadonlyArray<number> => candles.map(({ close }) => close)
