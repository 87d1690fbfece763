/** The time without input after which the user counts as absent, in ms. */
export const idleAfterMs = 300_000

/** The browser events that only a person causes, unlike `scroll`, which scripts can cause too. */
export const presenceEvents = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"]

export interface Presence {
  readonly isPresent: () => boolean
  readonly subscribe: (listener: () => void) => () => void
  /** Starts to observe the input events of a window. Until `watch` is called, a person counts as present. */
  readonly watch: (window: EventTarget, document: EventTarget & { readonly visibilityState: string }) => void
}

export const makePresence = (): Presence => {
  const listeners = new Set<() => void>()
  const state: { isPresent: boolean; timer: ReturnType<typeof setTimeout> | undefined } = {
    isPresent: true,
    timer: undefined
  }
  const setPresent = (isPresent: boolean) => {
    if (state.isPresent === isPresent) return
    state.isPresent = isPresent
    for (const listener of listeners) listener()
  }
  const onInput = () => {
    clearTimeout(state.timer)
    state.timer = setTimeout(() => setPresent(false), idleAfterMs)
    setPresent(true)
  }
  return {
    isPresent: () => state.isPresent,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    watch: (window, document) => {
      for (const input of presenceEvents) window.addEventListener(input, onInput, { capture: true, passive: true })
      document.addEventListener("visibilitychange", () => {
        if (document.visibilityState === "visible") onInput()
      })
      onInput()
    }
  }
}

export const presence = makePresence()

/**
 * Returns a `fetch` function that adds the header `x-tapeline-unattended` while no person is present. Requests with the
 * header `x-tapeline-unattended` do not extend the session.
 */
export const fetchWithPresence = (
  { isPresent }: Pick<Presence, "isPresent">,
  baseFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init)
): typeof globalThis.fetch =>
(input, init) => {
  if (isPresent()) return baseFetch(input, init)
  const headers = new Headers(init?.headers)
  headers.set("x-tapeline-unattended", "true")
  return baseFetch(input, { ...init, headers })
}
