export { ema, sma, wilder } from "./indicators/averages.ts"
export { rangePosition, rollingMax, rollingMin } from "./indicators/extremes.ts"
export { type Macd, macd, momentum, roc, rsi, stochastic } from "./indicators/oscillators.ts"
export { adx, atr, type Bands, bollinger, type DirectionalMovement, trueRange } from "./indicators/ranges.ts"
export { type CompositeScore, compositeScore, type Factor } from "./indicators/score.ts"
export {
  type VolumeBin,
  type VolumeProfile,
  volumeProfile,
  vwap,
  type VwapBands,
  vwapBands
} from "./indicators/volume.ts"
