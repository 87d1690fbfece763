export * from "./charts/ArtifactStore.ts"
export * from "./charts/chart.ts"
export * from "./charts/ChartRenderer.ts"
export * from "./charts/errors.ts"
export * from "./charts/numberFormats.ts"
export * from "./code/CodeSandbox.ts"
export * from "./code/errors.ts"
export { commonNames } from "./equities/commonNames.ts"
export { rankedVixSessions } from "./equities/vixRank.ts"
export { newestFirst, TopItems } from "./news/articleOrder.ts"
export { getTone } from "./news/articleTones.ts"
export * from "./news/Embeddings.ts"
export { innerProduct } from "./news/integerVector.ts"
export { makeNewsIndexMemory } from "./news/memoryNewsIndex.ts"
export * from "./news/NewsIndex.ts"
export * from "./news/newsQuery.ts"
export * from "./news/NewsSearch.ts"
export { foldText, hashText, isStopWord, splitWords, type Word } from "./news/words.ts"
export { interpolateAtMaturity, readTerm, type SmilePoint, type TermPoint } from "./options/termStructure.ts"
export * from "./signals/closedBars.ts"
export * from "./signals/coil.ts"
export { DerivedMemory } from "./signals/dayCache/MemoryDayCache.ts"
export { DerivedDays, DerivedDaysUnavailable } from "./signals/DerivedDays.ts"
export type { DaySeries, DerivedDaysService, StoredDay } from "./signals/DerivedDays.ts"
export * from "./signals/derivedError.ts"
export * from "./signals/DerivedStore.ts"
export * from "./signals/divergence.ts"
export {
  computeFearGreedDays,
  decodeFearGreed,
  fearGreedHistoryDays,
  fearGreedWarmUpDays,
  getFearGreedLabel
} from "./signals/fearGreed.ts"
export type { FearGreedDay, FearGreedMarket } from "./signals/fearGreed.ts"
export * from "./signals/hitRate.ts"
export * from "./signals/openInterest.ts"
export * from "./signals/recompute/Recomputation.ts"
export * from "./signals/recompute/recompute.ts"
export { computeRegimeHours, decodeRegimes, regimeWarmUpHours } from "./signals/regime.ts"
export type { RegimeHour, RegimeSeries } from "./signals/regime.ts"
export * from "./signals/rules.ts"
export {
  classifyBias,
  computeScoreHours,
  decodeHours,
  getPositionTime,
  minBiasScore,
  positionIntervalMs,
  toScoreColumns
} from "./signals/score.ts"
export type { HourBar, ScoreColumns, ScoredHour, ScoredMarket, ScorePoint, ScoreSeries } from "./signals/score.ts"
export * from "./signals/sessionVwap.ts"
export * from "./signals/signal.ts"
export * from "./signals/vocabulary.ts"
export * from "./signals/volatility.ts"
