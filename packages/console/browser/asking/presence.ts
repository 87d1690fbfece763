/** A user without input for this time counts as away, in ms. */
export const awayAfterMs = 300_000

/** Events that only a person causes. Scrolling is not among them, because scripts scroll too. */
const inputs = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"]

/** Reports whether a person uses the page. */
export interface Presence {
  readonly isThere: () => boolean
  readonly subscribe: (listener: () => void) => () => void
  /** Starts to observe a window. Until then, a person counts as present. */
  readonly watch: (window: EventTarget, document: EventTarget & { readonly visibilityState: string }) => void
}

export const makePresence = (): Presence => {
  const listeners = new Set<() => void>()
  const state: { isThere: boolean; timer: ReturnType<typeof setTimeout> | undefined } = {
    isThere: true,
    timer: undefined
  }
  const become = (isThere: boolean) => {
    if (state.isThere === isThere) return
    state.isThere = isThere
    for (const listener of listeners) listener()
  }
  const touched = () => {
    clearTimeout(state.timer)
    state.timer = setTimeout(() => become(false), awayAfterMs)
    become(true)
  }
  return {
    isThere: () => state.isThere,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    watch: (window, document) => {
      for (const input of inputs) window.addEventListener(input, touched, { capture: true, passive: true })
      document.addEventListener("visibilitychange", () => {
        if (document.visibilityState === "visible") touched()
      })
      touched()
    }
  }
}

/** The presence of a person at this page. */
export const presence = makePresence()

/**
 * Sends requests as `fetch` does. If no person is present, it adds the header `x-tapeline-unattended`: the page's
 * automatic requests must not keep a session from expiring.
 */
export const fetchOf = (
  { isThere }: Pick<Presence, "isThere">,
  ask: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init)
): typeof globalThis.fetch =>
(input, init) => {
  if (isThere()) return ask(input, init)
  const headers = new Headers(init?.headers)
  headers.set("x-tapeline-unattended", "true")
  return ask(input, { ...init, headers })
}
