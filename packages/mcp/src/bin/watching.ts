import { type Catalogue, type Service, ServiceError } from "../service.ts"

/** How often the catalogue is asked for again, in ms: a request a minute of the key's own, answered with 304. */
export const watchEveryMs = 60_000

/** A service whose catalogue is looked at now and then. */
export interface Watched {
  readonly service: Service
  /** Lets go of it: nothing is asked for by itself any more. */
  readonly stop: () => void
}

/** What a refusal tells of the catalogue: that it is not what it was. */
const tellsChange = new Set(["scope_required", "unknown_tool"])

/**
 * Looks at the catalogue again and again, and when a call or a question is refused that the catalogue had offered;
 * `onChange` is told when it is another one. What goes wrong meanwhile is told by the next call that meets it.
 */
export const watching = (service: Service, onChange: () => void, everyMs = watchEveryMs): Watched => {
  let known: Catalogue | undefined
  const catalogue: Service["catalogue"] = async (signal) => {
    const now = await service.catalogue(signal)
    const before = known
    known = now
    // Two that were asked for at once are two, though they say the same.
    const changed = before !== undefined && before !== now && JSON.stringify(before) !== JSON.stringify(now)
    if (changed) onChange()
    return now
  }
  const look = () => {
    // A key that opens nothing any more says so when it is used.
    catalogue().catch(() => undefined)
  }
  const told = async <A>(work: Promise<A>): Promise<A> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof ServiceError && tellsChange.has(error.refusal ?? "")) look()
      throw error
    }
  }
  // It keeps no process alive.
  const timer = setInterval(look, everyMs).unref()
  return {
    service: {
      catalogue,
      call: (name, args, signal) => told(service.call(name, args, signal)),
      ask: (question, asking) => told(service.ask(question, asking))
    },
    stop: () => clearInterval(timer)
  }
}
