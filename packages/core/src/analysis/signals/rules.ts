/**
 * The rules that derived values are made by, each with a version that results name. A version is another one as soon as
 * a rule gives another number for the same market: values of two versions are not compared, nor stored as one.
 */
export const rules = {
  score: "score/3",
  divergence: "divergence/3",
  regime: "regime/3",
  coil: "coil/2",
  fearGreed: "fear_greed/3",
  /** It opens by scores and within regimes: another version of theirs is another one of it. */
  signal: "signal/3"
} as const
