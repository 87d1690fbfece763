/**
 * The rules of derived values, each with a version that results contain. The version changes whenever a rule computes
 * another number from equal market data. Values of two versions are neither compared nor stored together.
 */
export const rules = {
  score: "score/3",
  divergence: "divergence/3",
  regime: "regime/3",
  coil: "coil/2",
  fearGreed: "fear_greed/3",
  /** The signal rule, whose version must change with the score rule and the regime rule. */
  signal: "signal/3"
} as const
