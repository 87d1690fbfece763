export { ema, sma, wilder } from "./indicators/averages.ts"
export { rangePosition, rollingMax, rollingMin } from "./indicators/extremes.ts"
export { macd, momentum, roc, rsi, stochastic, type Macd } from "./indicators/oscillators.ts"
export { adx, atr, bollinger, trueRange, type Bands, type DirectionalMovement } from "./indicators/ranges.ts"
export { compositeScore, type CompositeScore, type Factor } from "./indicators/score.ts"
export {
  volumeProfile, vwap, vwapBands, type VolumeBin, type VolumeProfile, type VwapBands
} from "./indicators/volume.ts"
