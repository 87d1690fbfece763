/** The time without input after which the page forgets an admin token, in ms. */
const adminIdleMs = 900_000

export interface HeldToken {
  readonly token: string
  /** A number that changes with each sign-in, so that data of one token is never shown for another token. */
  readonly signIn: number
}

/** The reason for which the page forgot a token, unless the user signed out. */
export type AdminSignInEnd = "idle" | "rejected"

/**
 * Holds the admin token of a tab in memory, and never in the storage of the browser. The token is forgotten by a
 * reload, and after `idleMs` without input.
 */
export class AdminTokenHolder {
  readonly #listeners = new Set<() => void>()
  readonly #idleMs: number
  #held: HeldToken | undefined
  #end: AdminSignInEnd | undefined
  #signIns = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /**
   * The comparison of times is necessary, because timers stop while a computer sleeps. Timers stop while a computer
   * sleeps, so a timer is not enough.
   */
  #lastInputAt = 0

  constructor(idleMs: number = adminIdleMs) {
    this.#idleMs = idleMs
  }

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly current = (): HeldToken | undefined => this.#held

  /** Returns why the page forgot the last token; undefined if a token is held, or if the user signed out. */
  readonly currentEnd = (): AdminSignInEnd | undefined => this.#end

  readonly accept = (token: string): void => {
    this.#signIns += 1
    this.#set({ token, signIn: this.#signIns }, undefined)
  }

  readonly forget = (): void => this.#set(undefined, undefined)

  /** Forgets the token of the sign-in `signIn`, which the service rejected. Keeps the token of a later sign-in. */
  readonly reject = (signIn: number): void => {
    if (this.#held?.signIn === signIn) this.#set(undefined, "rejected")
  }

  /** Postpones the time at which the token is forgotten. The page calls `noteInput` for each input of the user. */
  readonly noteInput = (): void => {
    if (this.#held === undefined) return
    if (Date.now() - this.#lastInputAt > this.#idleMs) this.#set(undefined, "idle")
    else this.#postpone()
  }

  #postpone(): void {
    clearTimeout(this.#timer)
    this.#lastInputAt = Date.now()
    this.#timer = setTimeout(() => this.#set(undefined, "idle"), this.#idleMs)
  }

  #set(held: HeldToken | undefined, end: AdminSignInEnd | undefined): void {
    this.#held = held
    this.#end = end
    if (held === undefined) clearTimeout(this.#timer)
    else this.#postpone()
    for (const listener of this.#listeners) listener()
  }
}
