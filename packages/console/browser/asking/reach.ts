/** Answers of what stands before a service that is away. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** Whether the service answered when it was asked last. */
export interface Reach {
  readonly isAway: () => boolean
  readonly subscribe: (listener: () => void) => () => void
  /** Asks as `ask` does, and heeds whether an answer came. */
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
        // What the page itself gives up says nothing of the service.
        if (init?.signal?.aborted !== true) become(true)
        throw error
      }
    }
  }
}

/** That of this page. */
export const reach = makeReach()
