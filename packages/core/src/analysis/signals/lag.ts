import { hourMs } from "../../market/timeframe.ts"

/** The permitted lag of storage. Within it, the newest stored hour replaces the last closed one. */
export const lagMs = 3 * hourMs
