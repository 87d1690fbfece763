/** Who has touched nothing for so long, in ms, is taken to have left. */
export const awayAfterMs = 300_000

/** What a person does at a page. What scripts do has no such events, and scrolling may be theirs. */
const inputs = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"]

/** Whether somebody is at the page. */
export interface Presence {
  readonly isThere: () => boolean
  readonly subscribe: (listener: () => void) => () => void
  /** Heeds what is done in a window; before that somebody is there. */
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

/** Whether somebody is at this page. */
export const presence = makePresence()

/**
 * Asks as `fetch` does, and says where nobody is there that nobody asked: that keeps no session from its end, whatever
 * the page asks by itself.
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
