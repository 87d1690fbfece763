/** A part of the console's own files did not arrive. */
export class NotArrived extends Error {}

/** What arrivals need of the browser. */
export interface Browser {
  readonly isOnline: () => boolean
  /** Loads the address that is shown anew. */
  readonly reload: () => void
  readonly events: Pick<EventTarget, "addEventListener" | "removeEventListener">
}

/**
 * What of the console's own files arrived in this document. A browser remembers of a file that it failed, and asks for
 * it no more until the document is loaded anew: that is done at most once in each.
 */
export class Arrivals {
  readonly #browser: Browser
  readonly #arrived = new Set<string>()
  #isAnyMissing = false
  #isReloading = false

  constructor(browser: Browser) {
    this.#browser = browser
  }

  /** Loads a page, by its path, or a file more that it needs; fails with `NotArrived`. */
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

  /** A page is gone to: where one failed before, it may be the same file that this one needs. */
  goTo(page: string): void {
    if (this.#isAnyMissing && !this.#arrived.has(page) && this.#browser.isOnline()) this.reload()
  }

  /** Loads the document anew once there is a network again; gives what calls that off. */
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

/** Those of this page. */
export const arrivals = new Arrivals({
  isOnline: () => navigator.onLine,
  reload: () => location.reload(),
  events: globalThis
})
