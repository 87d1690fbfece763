/** The HTTP statuses with which a proxy reports that the service is unavailable. */
const unavailableStatuses: ReadonlySet<number> = new Set([502, 503, 504])

export interface ServiceAvailability {
  readonly isUnavailable: () => boolean
  readonly subscribe: (listener: () => void) => () => void
  /** Returns a `fetch` function that calls `baseFetch` and records whether the service responded. */
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
        // An aborted request does not count, because the abort is no sign of an unavailable service.
        if (init?.signal?.aborted !== true) setUnavailable(true)
        throw error
      }
    }
  }
}

export const serviceAvailability = makeServiceAvailability()
