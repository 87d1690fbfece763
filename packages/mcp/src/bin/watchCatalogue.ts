import { type Catalogue, type Service, ServiceError } from "../service.ts"

/** The interval of catalogue requests, in ms. Each counts toward the key's rate limit and usually gets a 304. */
export const pollIntervalMs = 60_000

/** A service whose catalogue is polled. */
export interface WatchedService {
  readonly service: Service
  /** Stops polling. */
  readonly stop: () => void
}

/** Error codes that indicate a changed catalogue. */
const changeCodes = new Set(["scope_required", "unknown_tool"])

/**
 * Polls the catalogue, and also reads it when a listed call is rejected. Calls `onChange` if the catalogue has changed.
 * Ignores failures of polling, because the next call reports them.
 */
export const watchCatalogue = (service: Service, onChange: () => void, everyMs = pollIntervalMs): WatchedService => {
  let lastCatalogue: Catalogue | undefined
  const catalogue: Service["catalogue"] = async (signal) => {
    const currentCatalogue = await service.catalogue(signal)
    const previousCatalogue = lastCatalogue
    lastCatalogue = currentCatalogue
    // Concurrent requests return different objects even if the contents are equal.
    const changed = previousCatalogue !== undefined && previousCatalogue !== currentCatalogue &&
      JSON.stringify(previousCatalogue) !== JSON.stringify(currentCatalogue)
    if (changed) onChange()
    return currentCatalogue
  }
  const poll = () => {
    // A call reports a key that is no longer valid.
    catalogue().catch(() => undefined)
  }
  const pollOnRejection = async <A>(work: Promise<A>): Promise<A> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof ServiceError && changeCodes.has(error.rejectionCode ?? "")) poll()
      throw error
    }
  }
  // The timer does not keep the process alive.
  const timer = setInterval(poll, everyMs).unref()
  return {
    service: {
      catalogue,
      call: (name, args, signal) => pollOnRejection(service.call(name, args, signal)),
      ask: (question, signals) => pollOnRejection(service.ask(question, signals))
    },
    stop: () => clearInterval(timer)
  }
}
