import type { Stream } from "effect"
import { followLog } from "../../engine/store/followLog.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { LoggedEvent } from "../event.ts"
import type { GenerationLog } from "../GenerationLog.ts"

const page = 64

/** Returns the events of a generation above `after`, until it has ended. */
export const follow = (
  log: GenerationLog["Service"],
  generation: number,
  after: number
): Stream.Stream<LoggedEvent, StoreUnavailable> =>
  followLog({
    listen: log.listen(generation),
    read: (after) => log.read(generation, after, page),
    lookEvery: "5 seconds"
  }, after)
