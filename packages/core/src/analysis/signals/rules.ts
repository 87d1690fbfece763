/**
 * The names and versions of the rules that compute derived values. Tool results contain the names and versions of the
 * rules. The version of a rule changes whenever the rule computes different values from equal market data. Values of
 * different versions are never compared or stored together.
 */
export const rules = {
  score: "score/3",
  divergence: "divergence/3",
  regime: "regime/3",
  coil: "coil/2",
  fearGreed: "fear_greed/3",
  /** The version of the signal rule must change with the version of the score rule or the regime rule. */
  signal: "signal/3"
} as const
