import type { Stream } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { followLog } from "../../engine/store/followLog.ts"
import type { LoggedEvent } from "../event.ts"
import type { GenerationLog } from "../GenerationLog.ts"

const pageSize = 64

/** Returns the events of a generation with numbers above `after`, until the generation has ended. */
export const followGeneration = (
  log: GenerationLog["Service"],
  generation: number,
  after: number
): Stream.Stream<LoggedEvent, StoreUnavailable> =>
  followLog({
    subscribe: log.listen(generation),
    read: (after) => log.read(generation, after, pageSize),
    pollInterval: "5 seconds"
  }, after)
