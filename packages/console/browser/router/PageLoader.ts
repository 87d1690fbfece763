/** The error that a file of the console could not be loaded. */
export class PageLoadError extends Error {}

/** The browser functions that `PageLoader` needs. */
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
export class PageLoader {
  readonly #browser: Browser
  readonly #loadedPages = new Set<string>()
  #hasFailedLoad = false
  #isReloading = false

  constructor(browser: Browser) {
    this.#browser = browser
  }

  /** Loads a page, by its path, or another file that the page needs. Fails with `PageLoadError`. */
  async load<A>(page: string, load: () => Promise<A>): Promise<A> {
    try {
      const loaded = await load()
      this.#loadedPages.add(page)
      return loaded
    } catch (cause) {
      this.#hasFailedLoad = true
      this.#loadedPages.delete(page)
      throw new PageLoadError("A part of the console did not arrive", { cause })
    }
  }

  /** Reports navigation to a page. If a page failed before, this one may need the same file, so it reloads first. */
  onNavigate(page: string): void {
    if (this.#hasFailedLoad && !this.#loadedPages.has(page) && this.#browser.isOnline()) this.reload()
  }

  /** Reloads the document when the network is back. Returns a function that cancels this. */
  reloadWhenOnline(): () => void {
    const onOnline = () => this.reload()
    this.#browser.events.addEventListener("online", onOnline)
    return () => this.#browser.events.removeEventListener("online", onOnline)
  }

  reload(): void {
    if (this.#isReloading) return
    this.#isReloading = true
    this.#browser.reload()
  }
}

/** The loaded files of this document. */
export const pageLoader = new PageLoader({
  isOnline: () => navigator.onLine,
  reload: () => location.reload(),
  events: globalThis
})
