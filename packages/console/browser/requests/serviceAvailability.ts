/** Statuses of a proxy whose service is unavailable. */
const unavailableStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** Reports whether the service responded to the last request. */
export interface ServiceAvailability {
  readonly isUnavailable: () => boolean
  readonly subscribe: (listener: () => void) => () => void
  /** Wraps `ask`, and records whether a response arrived. */
  readonly trackFetch: (baseFetch: typeof globalThis.fetch) => typeof globalThis.fetch
}

export const makeServiceAvailability = (): ServiceAvailability => {
  const listeners = new Set<() => void>()
  const state = { isAway: false }
  const setUnavailable = (isUnavailable: boolean) => {
    if (state.isAway === isUnavailable) return
    state.isAway = isUnavailable
    for (const listener of listeners) listener()
  }
  return {
    isUnavailable: () => state.isAway,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    trackFetch: (baseFetch) => async (input, init) => {
      try {
        const response = await baseFetch(input, init)
        setUnavailable(unavailableStatuses.has(response.status))
        return response
      } catch (error) {
        // A request that the page aborted itself does not show whether the service is available.
        if (init?.signal?.aborted !== true) setUnavailable(true)
        throw error
      }
    }
  }
}

/** The availability of the service, as this page sees it. */
export const serviceAvailability = makeServiceAvailability()
