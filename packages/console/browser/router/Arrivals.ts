/** The error that a file of the console could not be loaded. */
export class NotArrived extends Error {}

/** The browser functions that `Arrivals` needs. */
export interface Browser {
  readonly isOnline: () => boolean
  /** Reloads the document. */
  readonly reload: () => void
  readonly events: Pick<EventTarget, "addEventListener" | "removeEventListener">
}

/**
 * Records which files of the console this document has loaded. Browsers do not retry a failed module until the document
 * is reloaded. Each document is reloaded at most once.
 */
export class Arrivals {
  readonly #browser: Browser
  readonly #arrived = new Set<string>()
  #isAnyMissing = false
  #isReloading = false

  constructor(browser: Browser) {
    this.#browser = browser
  }

  /** Loads a page, by its path, or another file that the page needs. Fails with `NotArrived`. */
  async load<A>(page: string, load: () => Promise<A>): Promise<A> {
    try {
      const loaded = await load()
      this.#arrived.add(page)
      return loaded
    } catch (cause) {
      this.#isAnyMissing = true
      this.#arrived.delete(page)
      throw new NotArrived("A part of the console did not arrive", { cause })
    }
  }

  /** Reports navigation to a page. If a page failed before, this one may need the same file, so it reloads first. */
  goTo(page: string): void {
    if (this.#isAnyMissing && !this.#arrived.has(page) && this.#browser.isOnline()) this.reload()
  }

  /** Reloads the document when the network is back. Returns a function that cancels this. */
  awaitNetwork(): () => void {
    const back = () => this.reload()
    this.#browser.events.addEventListener("online", back)
    return () => this.#browser.events.removeEventListener("online", back)
  }

  reload(): void {
    if (this.#isReloading) return
    this.#isReloading = true
    this.#browser.reload()
  }
}

/** The loaded files of this document. */
export const arrivals = new Arrivals({
  isOnline: () => navigator.onLine,
  reload: () => location.reload(),
  events: globalThis
})
