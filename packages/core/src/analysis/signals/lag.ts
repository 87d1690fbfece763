import { hourMs } from "../../market/timeframe.ts"

/** How long the storage may lag: until then the newest stored hour stands for the last closed one. */
export const lagMs = 3 * hourMs
