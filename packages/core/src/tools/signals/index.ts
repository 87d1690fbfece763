import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getActiveSignals } from "./getActiveSignals.ts"
import { getBinaryEv } from "./getBinaryEv.ts"
import { getHitRate } from "./getHitRate.ts"
import { getProbability } from "./getProbability.ts"
import { getShortCalibration } from "./getShortCalibration.ts"
import { getSignalOutcomes } from "./getSignalOutcomes.ts"

export { getActiveSignals, getBinaryEv, getHitRate, getProbability, getShortCalibration, getSignalOutcomes }

export const signalsSpecifications = [
  getSignalOutcomes,
  getHitRate,
  getActiveSignals,
  getProbability,
  getBinaryEv,
  getShortCalibration
] as const

/** Functions that import the handlers of the signal tools, by tool name. */
export default {
  get_signal_outcomes: () => import("./getSignalOutcomes.handler.ts"),
  get_hit_rate: () => import("./getHitRate.handler.ts"),
  get_active_signals: () => import("./getActiveSignals.handler.ts"),
  get_probability: () => import("./getProbability.handler.ts"),
  get_binary_ev: () => import("./getBinaryEv.handler.ts"),
  get_short_calibration: () => import("./getShortCalibration.handler.ts")
} satisfies HandlersFrom<typeof signalsSpecifications>
