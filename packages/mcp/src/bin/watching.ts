import { type Catalogue, type Service, ServiceError } from "../service.ts"

/** The interval of catalogue requests, in ms. Each counts toward the key's rate limit and usually gets a 304. */
export const watchEveryMs = 60_000

/** A service whose catalogue is polled. */
export interface Watched {
  readonly service: Service
  /** Stops polling. */
  readonly stop: () => void
}

/** Error codes that indicate a changed catalogue. */
const tellsChange = new Set(["scope_required", "unknown_tool"])

/**
 * Polls the catalogue, and also reads it when a listed call is rejected. Calls `onChange` if the catalogue has changed.
 * Ignores failures of polling, because the next call reports them.
 */
export const watching = (service: Service, onChange: () => void, everyMs = watchEveryMs): Watched => {
  let known: Catalogue | undefined
  const catalogue: Service["catalogue"] = async (signal) => {
    const now = await service.catalogue(signal)
    const before = known
    known = now
    // Concurrent requests return different objects even if the contents are equal.
    const changed = before !== undefined && before !== now && JSON.stringify(before) !== JSON.stringify(now)
    if (changed) onChange()
    return now
  }
  const look = () => {
    // A call reports a key that is no longer valid.
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
  // The timer does not keep the process alive.
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
