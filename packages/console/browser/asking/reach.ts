/** Statuses of a proxy whose service is unavailable. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** Reports whether the service responded to the last request. */
export interface Reach {
  readonly isAway: () => boolean
  readonly subscribe: (listener: () => void) => () => void
  /** Wraps `ask`, and records whether a response arrived. */
  readonly fetchOf: (ask: typeof globalThis.fetch) => typeof globalThis.fetch
}

export const makeReach = (): Reach => {
  const listeners = new Set<() => void>()
  const state = { isAway: false }
  const become = (isAway: boolean) => {
    if (state.isAway === isAway) return
    state.isAway = isAway
    for (const listener of listeners) listener()
  }
  return {
    isAway: () => state.isAway,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    fetchOf: (ask) => async (input, init) => {
      try {
        const response = await ask(input, init)
        become(awayStatuses.has(response.status))
        return response
      } catch (error) {
        // A request that the page aborted itself does not show whether the service is available.
        if (init?.signal?.aborted !== true) become(true)
        throw error
      }
    }
  }
}

/** The availability of the service, as this page sees it. */
export const reach = makeReach()
